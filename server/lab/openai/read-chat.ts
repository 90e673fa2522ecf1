import { z } from 'zod'
import { countPrompt, type Prompt } from '../answer.ts'

const Part = z.object({ type: z.string(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).nullish()
const Message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content,
})
const Tool = z.object({ function: z.object({ name: z.string(), parameters: z.unknown().optional() }) })
const Limit = z.number().int().positive().nullish()

const Body = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: Limit,
  max_completion_tokens: Limit,
  tools: z.array(Tool).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.object({ function: z.object({ name: z.string() }) })])
    .nullish(),
})
type Body = z.infer<typeof Body>

/** Models that refuse `max_tokens`. Source: platform.openai.com/docs/guides/reasoning */
const COMPLETION_LIMIT_ONLY = /^(o\d|gpt-5)/

export interface ChatAsk {
  readonly prompt: Prompt
  readonly lastText: string
  readonly isStream: boolean
  readonly wantsUsage: boolean
}

export const ChatAsk = Body.refine(
  body => body.max_tokens == null || !COMPLETION_LIMIT_ONLY.test(body.model),
  {
    path: ['max_tokens'],
    message: "is not supported with this model. Use 'max_completion_tokens' instead",
  },
).transform(
  (body): ChatAsk => ({
    prompt: promptOf(body),
    lastText: textOf(body.messages.findLast(message => message.role === 'user')?.content),
    isStream: body.stream === true,
    wantsUsage: body.stream_options?.include_usage === true,
  }),
)

function promptOf(body: Body): Prompt {
  const chosen = typeof body.tool_choice === 'object' ? body.tool_choice?.function.name : undefined
  const tools = (body.tool_choice === 'none' ? [] : (body.tools ?? []))
    .map(tool => ({ name: tool.function.name, schema: tool.function.parameters }))
    .filter(tool => chosen === undefined || tool.name === chosen)
  const letters = body.messages.reduce((sum, message) => sum + textOf(message.content).length, 0)
  const pictures = body.messages.reduce((sum, message) => sum + picturesIn(message.content), 0)
  return {
    model: body.model,
    tokens: countPrompt(letters, pictures),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
    tools,
    mustCallTool: body.tool_choice === 'required' || chosen !== undefined,
    hasToolResult: body.messages.at(-1)?.role === 'tool',
  }
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('')
}

const picturesIn = (content: z.infer<typeof Content>): number =>
  Array.isArray(content) ? content.filter(part => part.type !== 'text').length : 0
