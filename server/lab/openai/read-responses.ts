import { z } from 'zod'
import { countPrompt, type Prompt, requestId } from '../completion.ts'
import type { OfferedTool, TypedTool } from '../playbook-request.ts'

/** Results of a shell have no type. */
const Part = z.object({ type: z.string().optional(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).nullish()
const toolFields = { type: z.string(), name: z.string().optional(), parameters: z.unknown().optional() }
const Tool = z.looseObject({ ...toolFields, tools: z.array(z.looseObject(toolFields)).optional() })
const Item = z.object({
  type: z.string().nullish(),
  role: z.string().optional(),
  content: Content,
  output: z.union([Content, z.looseObject({ image_url: z.string() })]),
  id: z.string().nullish(),
  call_id: z.string().optional(),
  encrypted_content: z.string().nullish(),
  tools: z.array(Tool).nullish(),
})
/** Fields that no other is read of are kept, because the response repeats them. */
const ResponsesRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(Item).min(1)]),
  previous_response_id: z.string().nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.object({ name: z.string().optional() })])
    .nullish(),
})
export type ResponsesRequest = z.infer<typeof ResponsesRequest>
export type ResponsesItem = z.infer<typeof Item>

/** A parsed request of the Responses API. */
export interface ResponsesInput {
  readonly request: ResponsesRequest
  readonly items: readonly ResponsesItem[]
  readonly prompt: Prompt
  readonly lastText: string
  readonly isStream: boolean
}

export const ResponsesInput = ResponsesRequest.transform((request): ResponsesInput => {
  const items = inputItems(request)
  return {
    request,
    items,
    prompt: toPrompt(request, items),
    lastText: textOf(items.findLast(item => item.role === 'user')?.content),
    isStream: request.stream === true,
  }
})

const inputItems = ({ input }: ResponsesRequest): readonly ResponsesItem[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : input

function toPrompt(body: ResponsesRequest, items: readonly ResponsesItem[]): Prompt {
  const chosen = typeof body.tool_choice === 'object' ? body.tool_choice?.name : undefined
  const tools = (body.tool_choice === 'none' ? [] : listTools(body, items)).filter(
    ({ name }) => chosen === undefined || name === chosen,
  )
  const contents = items.flatMap(({ content, output }) => [content, output])
  const chars = contents.reduce(
    (sum, content) => sum + textOf(content).length,
    body.instructions?.length ?? 0,
  )
  const images = contents.reduce((sum, content) => sum + countImages(content), 0)
  return {
    model: body.model,
    id: requestId(body),
    tokens: countPrompt(chars, images),
    maxTokens: body.max_output_tokens ?? Number.POSITIVE_INFINITY,
    tools,
    mustCallTool: body.tool_choice === 'required' || chosen !== undefined,
    isSequential: body.parallel_tool_calls === false,
    hasToolResult: items.at(-1)?.type?.endsWith('_output') ?? false,
  }
}

/** The tools whose calls the client executes, with those in namespaces and those that a search found. */
export const listTools = (
  { tools }: ResponsesRequest,
  items: readonly ResponsesItem[],
): readonly OfferedTool[] =>
  [...(tools ?? []), ...items.flatMap(item => item.tools ?? [])].flatMap(tool =>
    tool.type === 'namespace'
      ? (tool.tools ?? []).flatMap(member => toOfferedTool(member, tool.name))
      : toOfferedTool(tool),
  )

function toOfferedTool(
  { type, name = '', parameters }: Pick<z.infer<typeof Tool>, 'type' | 'name' | 'parameters'>,
  namespace?: string,
): readonly OfferedTool[] {
  const isCustom = type === 'custom'
  if (isKnownTool(type)) return [{ name: type, schema: parameters, knownAs: type }]
  return isCustom || type === 'function' ? [{ name, schema: parameters, namespace, isCustom }] : []
}

const isKnownTool = (type: string): type is TypedTool =>
  type === 'tool_search' || type === 'shell' || type === 'apply_patch'

/** The output of a computer is a screenshot. */
export function textOf(content: ResponsesItem['output']): string {
  if (typeof content === 'string') return content
  return (Array.isArray(content) ? content : []).map(part => part.text ?? '').join('')
}

const countImages = (content: ResponsesItem['output']): number =>
  Array.isArray(content) ? content.filter(({ type }) => type && !type.endsWith('text')).length : 0
