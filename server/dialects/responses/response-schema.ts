import { z } from 'zod'
import { ownEntry } from '../../core/json/json.ts'
import type { BothLanguages } from '../../core/language.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import {
  checkBody,
  foreignTool,
  MODEL_NAME_CHARS_MAX,
  OUTPUT_TOKENS_MAX,
} from '../../provider-kit/validation.ts'
import { isHostedTool } from './hosted-tools.ts'
import { isClientTool, SKIPPED_ITEMS } from './tools.ts'

const ITEMS_MAX = 10_000
const PARTS_MAX = 10_000
const TOOLS_MAX = 1_024

/** The fields that are read of a part of any type. Unknown types are left to the provider. */
const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.string().nullish(),
  detail: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  filename: z.string().nullish(),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }).optional(),
})
const Content = z.union([z.string(), z.array(Part).max(PARTS_MAX)], {
  error: expected({ zh: '文本或内容数组', en: 'text or a list of parts' }),
})

/** The required fields of these item types. */
const REQUIRED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content'],
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
}

const toolFields = {
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
}
const Tool = z.looseObject({
  ...toolFields,
  /** The members of a namespace. */
  tools: z.array(z.looseObject(toolFields)).max(TOOLS_MAX).optional(),
})

const Item = z
  .looseObject({
    type: z.string().nullish(),
    role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
    content: Content.nullish(),
    call_id: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().nullish(),
    arguments: z.string().optional(),
    output: Content.optional(),
    summary: z.array(Part).optional(),
    encrypted_content: z.string().nullish(),
    tools: z.array(Tool).max(TOOLS_MAX).optional(),
  })
  .refine(
    item =>
      (ownEntry(REQUIRED_FIELDS, item.type ?? 'message') ?? []).every(field => item[field] !== undefined),
    {
      error: expected({ zh: '字段与类型相符的条目', en: 'an item with the fields of its type' }),
    },
  )

const ResponseJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  input: z.union([z.string(), z.array(Item).min(1).max(ITEMS_MAX)], {
    error: expected({ zh: '文本或条目数组', en: 'text or a list of items' }),
  }),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  max_output_tokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.string(),
          name: z.string().optional(),
          schema: z.looseObject({}).optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  user: z.string().nullish(),
})

export type ResponseJson = z.infer<typeof ResponseJson>
export type ItemJson = z.infer<typeof Item>
export type PartJson = z.infer<typeof Part>

/**
 * Validates a body. Throws a GatewayError `invalid_request`. The cast is safe because the schema has just accepted
 * the same value and converts nothing.
 */
export function toResponseJson(json: unknown): ResponseJson {
  checkBody(ResponseJson, json)
  return json as ResponseJson
}

/** Fields that refer to state on the provider's side. */
const PROVIDER_STATE_FIELDS: readonly string[] = ['previous_response_id', 'conversation', 'prompt']
const KNOWN_ITEMS: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'agent_message',
  ...SKIPPED_ITEMS,
])
const KNOWN_PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'input_image',
  'input_file',
  'input_audio',
])

/** The first feature that only providers of the Responses API support. Undefined when there is none. */
export function findNativeOnlyFeature(request: ResponseJson): BothLanguages | undefined {
  const kept = PROVIDER_STATE_FIELDS.find(field => request[field] !== undefined && request[field] !== null)
  if (kept)
    return { zh: `${kept}：对供应商侧状态的引用`, en: `${kept}: a reference to state on the provider side` }
  const tool = request.tools?.find(tool => !isClientTool(tool) && !isHostedTool(tool.type))
  if (tool) return foreignTool(tool.type)
  const choice = findNativeOnlyChoice(request)
  if (choice !== undefined)
    return {
      zh: `tool_choice：类型 ${JSON.stringify(choice)}`,
      en: `tool_choice: the type ${JSON.stringify(choice)}`,
    }
  return typeof request.input === 'string' ? undefined : findUnknownItem(request.input)
}

/** Choices that the canonical form expresses. */
const isKnownChoice = ({ type }: { readonly type: string }): boolean =>
  type === 'allowed_tools' || isHostedTool(type) || isClientTool({ type })

/** The type of a tool choice that forces a tool of one provider only. */
function findNativeOnlyChoice({ tool_choice: choice }: ResponseJson): string | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  return isKnownChoice(choice) ? undefined : choice.type
}

function findUnknownItem(items: readonly ItemJson[]): BothLanguages | undefined {
  for (const { type, content, output } of items.map(withoutEncryptedParts)) {
    if (!KNOWN_ITEMS.has(type ?? 'message'))
      return {
        zh: `input：类型为 ${JSON.stringify(type)} 的条目`,
        en: `input: an item of the type ${JSON.stringify(type)}`,
      }
    const parts =
      type === 'reasoning' ? [] : [content, output].flatMap(part => (Array.isArray(part) ? part : []))
    const unknownPart = parts.find(isUnknownPart)
    if (unknownPart) return describePart(unknownPart)
  }
  return undefined
}

/** An item without the parts of a message between agents that only the provider itself can read. */
export function withoutEncryptedParts(item: ItemJson): ItemJson {
  const { type, content } = item
  return type === 'agent_message' && Array.isArray(content)
    ? { ...item, content: content.filter(part => part.type !== 'encrypted_content') }
    : item
}

function describePart(part: PartJson): BothLanguages {
  const type = JSON.stringify(part.type)
  const fields = Object.keys(part)
  return {
    zh: `input：类型为 ${type}、含字段 ${fields.join('、')} 的内容`,
    en: `input: a part of the type ${type} with the fields ${fields.join(', ')}`,
  }
}

/** Whether a part has an unknown type or refers to a file on the provider's side. */
const isUnknownPart = (part: PartJson): boolean =>
  !KNOWN_PARTS.has(part.type) || (part.file_id !== undefined && part.file_id !== null)
