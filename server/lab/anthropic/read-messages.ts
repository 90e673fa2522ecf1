import { z } from 'zod'
import { countPrompt, type Prompt } from '../answer.ts'

const Block = z.object({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })
const Content = z.union([z.string(), z.array(Block)])
type Content = z.infer<typeof Content>

const Body = z.object({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: Content })).min(1),
  system: Content.optional(),
  stream: z.boolean().optional(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.unknown().optional() })).optional(),
  tool_choice: z
    .object({ type: z.enum(['auto', 'any', 'tool', 'none']), name: z.string().optional() })
    .optional(),
})
type Body = z.infer<typeof Body>

export interface MessagesAsk {
  readonly prompt: Prompt
  readonly lastText: string
  readonly isStream: boolean
}

export const MessagesAsk = Body.transform(
  (body): MessagesAsk => ({
    prompt: promptOf(body),
    lastText: textOf(body.messages.findLast(message => message.role === 'user')?.content ?? ''),
    isStream: body.stream === true,
  }),
)

function promptOf(body: Body): Prompt {
  const { tool_choice: choice } = body
  const contents = [body.system ?? '', ...body.messages.map(message => message.content)]
  const letters = contents.reduce((sum, content) => sum + textOf(content).length, 0)
  const pictures = contents.reduce((sum, content) => sum + picturesIn(content), 0)
  return {
    model: body.model,
    tokens: countPrompt(letters, pictures),
    maxTokens: body.max_tokens,
    tools: (choice?.type === 'none' ? [] : (body.tools ?? []))
      .filter(tool => choice?.type !== 'tool' || tool.name === choice.name)
      .map(tool => ({ name: tool.name, schema: tool.input_schema })),
    mustCallTool: choice?.type === 'any' || choice?.type === 'tool',
    hasToolResult: blocksOf(body.messages.at(-1)?.content ?? '').some(block => block.type === 'tool_result'),
  }
}

const blocksOf = (content: Content): readonly z.infer<typeof Block>[] =>
  typeof content === 'string' ? [] : content

/** Text blocks, and the text of tool results. */
function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content.map(block => block.text ?? resultText(block.content)).join('')
}

function resultText(content: unknown): string {
  const { data } = Content.safeParse(content)
  return data === undefined ? '' : textOf(data)
}

const picturesIn = (content: Content): number =>
  blocksOf(content).filter(block => block.type === 'image' || block.type === 'document').length
