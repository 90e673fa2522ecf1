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
import { isClientTool } from './client-tools.ts'
import { isHostedTool } from './hosted-tools.ts'

const MESSAGES_MAX = 10_000
const BLOCKS_MAX = 10_000
const TOOLS_MAX = 1_024
const STOPS_MAX = 16

const CacheMark = z.looseObject({}).nullish()

/** The required fields of these block types. Unknown types are left to the provider. */
const REQUIRED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source'],
  tool_use: ['id', 'name'],
  tool_result: ['tool_use_id'],
  tool_reference: ['tool_name'],
  thinking: ['thinking'],
}

const blockFields = {
  type: z.string(),
  text: z.string().optional(),
  source: z
    .looseObject({
      type: z.string(),
      media_type: z.string().optional(),
      data: z.string().optional(),
      url: z.string().optional(),
    })
    .optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  tool_use_id: z.string().optional(),
  tool_name: z.string().optional(),
  is_error: z.boolean().nullish(),
  cache_control: CacheMark,
}

const hasRequiredFields = (block: Readonly<Record<string, unknown>>): boolean =>
  (ownEntry(REQUIRED_FIELDS, String(block.type)) ?? []).every(field => block[field] !== undefined)
const REQUIRED_FIELDS_ERROR = {
  error: expected({ zh: '字段与类型相符的内容块', en: 'a block with the fields of its type' }),
}

const InnerBlock = z.looseObject(blockFields).refine(hasRequiredFields, REQUIRED_FIELDS_ERROR)
const Content = z.union([z.string(), z.array(InnerBlock).max(BLOCKS_MAX)], {
  error: expected({ zh: '文本或内容块数组', en: 'text or a list of blocks' }),
})
const Block = z
  .looseObject({ ...blockFields, content: Content.optional().catch(undefined) })
  .refine(hasRequiredFields, REQUIRED_FIELDS_ERROR)

const TEXT_OR_BLOCKS = { error: expected({ zh: '文本或内容块数组', en: 'text or a list of blocks' }) }
const Effort = z.string().nullish()
const Message = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(Block).max(BLOCKS_MAX)], TEXT_OR_BLOCKS).optional(),
    /** Of a system message: `next_user_message` hides its text from then on. */
    clear_at: z.string().nullish(),
    /** Of a system message: from then on. */
    output_config: z.looseObject({ effort: Effort }).nullish(),
  })
  .refine(({ role, content }) => role === 'system' || content !== undefined, {
    path: ['content'],
    ...TEXT_OR_BLOCKS,
  })

const Tool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.looseObject({}).optional(),
  strict: z.boolean().nullish(),
  cache_control: CacheMark,
})

const MessagesJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
  system: Content.nullish(),
  max_tokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string()).max(STOPS_MAX).nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.int().optional() }).nullish(),
  output_config: z
    .looseObject({
      effort: Effort,
      format: z.looseObject({ type: z.string(), schema: z.looseObject({}).optional() }).nullish(),
    })
    .nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
})

export type MessagesJson = z.infer<typeof MessagesJson>
export type MessageJson = z.infer<typeof Message>
export type BlockJson = z.infer<typeof Block>
/** A block of any type. */
export type InnerBlockJson = z.infer<typeof InnerBlock>

/**
 * Validates a body. Throws a GatewayError `invalid_request`. The cast is safe because the schema has just accepted
 * the same value and converts nothing.
 */
export function toMessagesJson(json: unknown): MessagesJson {
  checkBody(MessagesJson, json)
  return json as MessagesJson
}

const KNOWN_BLOCKS: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'tool_reference',
  'thinking',
  /** Only Claude can read it; other providers do without it. */
  'redacted_thinking',
])
/** Records of Claude's own searches and executions. Its text follows, so other providers do without them. */
const HOSTED_BLOCKS: ReadonlySet<string> = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
])
const KNOWN_SOURCES: ReadonlySet<string> = new Set(['base64', 'url', 'text'])

/** Fields without which the answer would be another one. A client that is told of `safeguards` does the check itself. */
const NATIVE_FIELDS: readonly (readonly [name: string, feature: BothLanguages])[] = [
  ['container', { zh: 'container：供应商侧的容器', en: 'container: a container on the provider side' }],
  ['safeguards', { zh: 'safeguards：供应商侧的检查', en: 'safeguards: checks on the provider side' }],
  ['thread', { zh: 'thread：供应商保存的对话', en: 'thread: a conversation that the provider keeps' }],
]

/**
 * The first feature that only Claude supports: one of its own tools, or content of an unknown type. Undefined when
 * there is none.
 */
export function findNativeOnlyFeature(request: MessagesJson): BothLanguages | undefined {
  const field = NATIVE_FIELDS.find(([name]) => request[name] !== undefined && request[name] !== null)
  if (field) return field[1]
  const { messages, tools } = request
  const tool = tools?.find(({ type }) => !isClientTool(type) && !isHostedTool(type))
  if (tool) return foreignTool(tool.type)
  for (const { content = '' } of messages) {
    const unknownBlock = typeof content === 'string' ? undefined : findUnknownBlock(content)
    if (unknownBlock) return unknownBlock
  }
  return undefined
}

function findUnknownBlock(blocks: readonly InnerBlockJson[]): BothLanguages | undefined {
  for (const { type, source, content } of blocks) {
    if (HOSTED_BLOCKS.has(type)) continue
    if (!KNOWN_BLOCKS.has(type))
      return {
        zh: `messages：类型为 ${JSON.stringify(type)} 的内容块`,
        en: `messages: a block of the type ${JSON.stringify(type)}`,
      }
    if (source && !KNOWN_SOURCES.has(source.type))
      return {
        zh: `messages：类型为 ${JSON.stringify(source.type)} 的来源`,
        en: `messages: a source of the type ${JSON.stringify(source.type)}`,
      }
    const inner = Array.isArray(content) ? findUnknownBlock(content) : undefined
    if (inner) return inner
  }
  return undefined
}
