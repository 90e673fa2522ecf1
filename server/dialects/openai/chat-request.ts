import { z } from 'zod'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { HostedTools } from '../../provider-kit/contract/hosted-tool.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { readSearchOptions } from '../../provider-kit/hosted-tools.ts'
import { isObject } from '../../provider-kit/json.ts'
import { listCustomNames } from '../../provider-kit/rules/chat-rules.ts'
import {
  checkBody,
  MODEL_NAME_CHARS_MAX,
  OUTPUT_TOKENS_MAX,
  withModel,
} from '../../provider-kit/validation.ts'

const MESSAGES_MAX = 10_000
const TOOLS_MAX = 1_024
const STOPS_MAX = 16
const CHOICES_MAX = 128

const TYPED_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'file'])

/** A part keeps its content under the name of its type. Unknown types are left to the provider. */
const Part = z
  .looseObject({
    type: z.string(),
    text: z.string().optional(),
    image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
    input_audio: z.looseObject({ data: z.string(), format: z.string() }).optional(),
    file: z.looseObject({}).optional(),
  })
  .refine(part => !TYPED_PARTS.has(part.type) || part[part.type] !== undefined, {
    error: expected({
      zh: '带有与类型同名字段的内容',
      en: 'a part with a field of the same name as its type',
    }),
  })

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
})

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string(), z.array(Part)], {
      error: expected({ zh: '文本或内容数组', en: 'text or a list of parts' }),
    })
    .nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(ToolCall).max(TOOLS_MAX).nullish(),
  tool_call_id: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_signature: z.string().nullish(),
})

const Tool = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string(), parameters: z.looseObject({}).nullish() }).optional(),
})

const tokenLimit = z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish()

const ChatJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(0).max(CHOICES_MAX).nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(STOPS_MAX)], {
      error: expected({ zh: '文本或文本数组', en: 'text or a list of texts' }),
    })
    .nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required', 'validated']), z.looseObject({ type: z.string() })], {
      error: expected({
        zh: ' "none"、"auto"、"required" 或指定工具的对象',
        en: '"none", "auto", "required" or an object that names a tool',
      }),
    })
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: z.looseObject({}).nullish() }).optional(),
    })
    .refine(format => format.type !== 'json_schema' || format.json_schema !== undefined, {
      error: expected({
        zh: '类型 "json_schema" 所对应的 json_schema 字段',
        en: 'a field json_schema with the type "json_schema"',
      }),
    })
    .nullish(),
  reasoning_effort: z.string().nullish(),
})

/**
 * Parses a chat body and keeps unknown fields. A token limit of 0 means no limit, as the playground sends it. Throws
 * a GatewayError `invalid_request` or `model_required`. Source: platform.openai.com/docs/api-reference/chat/create
 */
export function parseChat(json: unknown, urlParams: UrlParams = {}): ParsedBody<ChatBody> {
  const body = toChatBody(withModel(json, urlParams.model))
  const choices = Math.max(body.n ?? 1, 1)
  const customTools = listCustomNames(body)
  const limit = Math.max(body.max_tokens ?? 0, body.max_completion_tokens ?? 0) * choices
  return {
    body: withoutZeroLimits(body),
    model: body.model,
    isStream: body.stream ?? false,
    maxOutputTokens: limit > 0 ? limit : undefined,
    choices,
    wantsUsage: body.stream_options?.include_usage ?? false,
    hostedTools: toHostedTools(body),
    ...(customTools.length > 0 && { echoedFields: { customTools } }),
  }
}

function toHostedTools({ web_search_options: options }: ChatBody): HostedTools | undefined {
  return isObject(options) ? { tools: [readSearchOptions(options)] } : undefined
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toChatBody(json: unknown): ChatBody {
  checkBody(ChatJson, json)
  return json as ChatBody
}

function withoutZeroLimits(body: ChatBody): ChatBody {
  if (body.max_tokens !== 0 && body.max_completion_tokens !== 0) return body
  const { max_tokens, max_completion_tokens, ...rest } = body
  return {
    ...rest,
    model: body.model,
    messages: body.messages,
    ...(max_tokens && { max_tokens }),
    ...(max_completion_tokens && { max_completion_tokens }),
  }
}
