import { z } from 'zod'
import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import {
  checkBody,
  foreignTool,
  MODEL_NAME_CHARS_MAX,
  OUTPUT_TOKENS_MAX,
} from '../../provider-kit/validation.ts'
import { isHostedTool } from './hosted-tools.ts'

const ITEMS_MAX = 10_000
const TOOLS_MAX = 1_024
const STOPS_MAX = 16

const content = {
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  uri: z.string().optional(),
  mime_type: z.string().optional(),
}
const Content = z.looseObject(content)

/** A step of a conversation, or content of the user. The fields that a type has are those of the API. */
const Item = z.looseObject({
  ...content,
  content: z.array(Content).max(ITEMS_MAX).nullish(),
  summary: z.array(Content).max(ITEMS_MAX).nullish(),
  signature: z.string().nullish(),
  id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.looseObject({}).optional(),
  call_id: z.string().optional(),
  is_error: z.boolean().nullish(),
})

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parameters: z.looseObject({}).nullish(),
})

const ToolChoice = z.union(
  [
    z.string(),
    z.looseObject({
      allowed_tools: z
        .looseObject({ mode: z.string().nullish(), tools: z.array(z.string()).max(TOOLS_MAX).nullish() })
        .nullish(),
    }),
  ],
  { error: expected({ zh: '文本或含 allowed_tools 的对象', en: 'text or an object with allowed_tools' }) },
)

const Format = z.looseObject({})

const InteractionJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  input: z.union([z.string(), Content, z.array(Item).min(1).max(ITEMS_MAX)], {
    error: expected({ zh: '文本、内容或步骤的数组', en: 'text, content or a list of steps' }),
  }),
  system_instruction: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_interaction_id: z.string().nullish(),
  continuation_token: z.string().nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  response_format: z.union([Format, z.array(Format).max(TOOLS_MAX)]).nullish(),
  response_mime_type: z.string().nullish(),
  response_modalities: z.array(z.string()).nullish(),
  generation_config: z
    .looseObject({
      temperature: z.number().min(0).max(2).nullish(),
      top_p: z.number().min(0).max(1).nullish(),
      seed: z.int().nullish(),
      stop_sequences: z.array(z.string()).max(STOPS_MAX).nullish(),
      max_output_tokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
      thinking_level: z.string().nullish(),
      tool_choice: ToolChoice.nullish(),
    })
    .nullish(),
})

export type InteractionJson = z.infer<typeof InteractionJson>
export type StepJson = z.infer<typeof Item>

/**
 * Validates a body. Throws a GatewayError `invalid_request`. The cast is safe because the schema has just accepted the same
 * value and converts nothing.
 */
export function toInteractionJson(json: unknown): InteractionJson {
  checkBody(InteractionJson, json)
  return json as InteractionJson
}

/**
 * Fields that nothing here prices or binds to its user: agents, state and machines that lie at the provider, calls to
 * addresses of the user.
 */
const UNSERVED_FIELDS = ['agent', 'agent_config', 'cached_content', 'environment', 'webhook_config']

/** Throws GatewayError `api_not_implemented`. */
export function rejectUnservedFields(json: Readonly<Record<string, unknown>>): void {
  const field = UNSERVED_FIELDS.find(name => Boolean(json[name]))
  if (field !== undefined)
    throw new GatewayError('api_not_implemented', {
      zh: `interactions 接口暂不支持 ${field}`,
      en: `the interactions API is not available with ${field}`,
    })
}

const MODEL_STEPS: ReadonlySet<string> = new Set(['thought', 'model_output', 'function_call'])
const USER_STEPS: ReadonlySet<string> = new Set(['user_input', 'function_result'])
const CONTENT_TYPES: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'document'])
/** Records of the provider's own tools. The model's text follows, so other providers do without them. */
const RECORD = /_(call|result)$/

export type StepSide = 'model' | 'user' | 'content'

/** Which message an item belongs to; undefined for what other providers do without. */
export function placeOf({ type }: Pick<StepJson, 'type'>): StepSide | undefined {
  if (MODEL_STEPS.has(type)) return 'model'
  if (USER_STEPS.has(type)) return 'user'
  return RECORD.test(type) ? undefined : 'content'
}

/** The items of an input, whichever form it has. */
export function itemsOf(input: InteractionJson['input']): readonly StepJson[] {
  if (typeof input === 'string') return [{ type: 'text', text: input }]
  return Array.isArray(input) ? input : [input]
}

const STATE_FIELDS = ['previous_interaction_id', 'continuation_token'] as const

/** The first feature that only this API has. Undefined when there is none. */
export function findNativeOnlyFeature(request: InteractionJson): BothLanguages | undefined {
  const { tools, response_modalities } = request
  const tool = tools?.find(({ type }) => type !== 'function' && !isHostedTool(type))
  if (tool) return foreignTool(tool.type)
  const modality = response_modalities?.find(name => name.toLowerCase() !== 'text')
  if (modality !== undefined)
    return { zh: `response_modalities：${modality}`, en: `response_modalities: ${modality}` }
  const field = STATE_FIELDS.find(name => request[name])
  if (field !== undefined)
    return { zh: `${field}：供应商保存的对话`, en: `${field}: a conversation that the provider keeps` }
  const contents = itemsOf(request.input).flatMap(item =>
    placeOf(item) === 'content' ? [item] : (item.content ?? []),
  )
  const unknown = contents.find(part => !CONTENT_TYPES.has(part.type) || isAudioByUri(part))
  return (
    unknown && {
      zh: `input：类型为 ${JSON.stringify(unknown.type)} 的内容`,
      en: `input: content of the type ${JSON.stringify(unknown.type)}`,
    }
  )
}

const isAudioByUri = ({ type, data }: Pick<StepJson, 'type' | 'data'>): boolean =>
  type === 'audio' && data === undefined
