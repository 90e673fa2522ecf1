import { z } from 'zod'
import { countPrompt, type Prompt } from '../completion.ts'

const Part = z.object({ type: z.string(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).nullish()
const Item = z.object({
  type: z.string().nullish(),
  role: z.string().optional(),
  content: Content,
  output: Content,
})
const Tool = z.object({ type: z.string(), name: z.string().optional(), parameters: z.unknown().optional() })

const ResponsesRequest = z.object({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(Item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.object({ name: z.string().optional() })])
    .nullish(),
})
type ResponsesRequest = z.infer<typeof ResponsesRequest>
type Item = z.infer<typeof Item>

/** A parsed request of the Responses API. */
export interface ResponsesInput {
  readonly prompt: Prompt
  readonly lastText: string
  readonly isStream: boolean
}

export const ResponsesInput = ResponsesRequest.transform((body): ResponsesInput => {
  const items = inputItems(body)
  return {
    prompt: toPrompt(body, items),
    lastText: textOf(items.findLast(item => item.role === 'user')?.content),
    isStream: body.stream === true,
  }
})

const inputItems = ({ input }: ResponsesRequest): readonly Item[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : input

function toPrompt(body: ResponsesRequest, items: readonly Item[]): Prompt {
  const chosen = typeof body.tool_choice === 'object' ? body.tool_choice?.name : undefined
  const tools = (body.tool_choice === 'none' ? [] : (body.tools ?? []))
    .filter(({ type, name }) => type === 'function' && (chosen === undefined || name === chosen))
    .map(({ name = '', parameters }) => ({ name, schema: parameters }))
  const contents = items.flatMap(({ content, output }) => [content, output])
  const chars = contents.reduce(
    (sum, content) => sum + textOf(content).length,
    body.instructions?.length ?? 0,
  )
  const images = contents.reduce((sum, content) => sum + countImages(content), 0)
  return {
    model: body.model,
    tokens: countPrompt(chars, images),
    maxTokens: body.max_output_tokens ?? Number.POSITIVE_INFINITY,
    tools,
    mustCallTool: body.tool_choice === 'required' || chosen !== undefined,
    hasToolResult: items.at(-1)?.type === 'function_call_output',
  }
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('')
}

const countImages = (content: z.infer<typeof Content>): number =>
  Array.isArray(content) ? content.filter(({ type }) => !type.endsWith('text')).length : 0
