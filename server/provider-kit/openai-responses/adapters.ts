import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, FinishReason, JsonObject, ToolCall } from '../contract/chat.ts'
import type { AdapterCall, AdapterResult, Failure, NativeAdapter } from '../contract/operation-adapter.ts'
import { createFailureReader, type RevokedKeySigns, readEmbeddedFailure } from '../failures.ts'
import { asArray, asCount, asObject, asString, isObject } from '../json.ts'
import { splitEffort } from '../openai-compatible/chat.ts'
import { bearerHeaders, openaiUrl } from '../transport.ts'
import { usageFromTotals } from '../usage-buckets.ts'
import { createResponsesStreamReader } from './stream.ts'

interface ResponsesNativeOptions {
  /** Path below the base URL. */
  readonly path?: string
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<unknown>) => string
  readonly headers?: (call: AdapterCall<unknown>) => Record<string, string>
  readonly revokedKey?: RevokedKeySigns
}

/**
 * The Responses API, for its own clients at vendors that support it. Source:
 * platform.openai.com/docs/api-reference/responses
 */
export const responsesNative = (vendor: ResponsesNativeOptions = {}): NativeAdapter => ({
  nativeFormat: 'responses',
  framing: 'sse',
  request: call => ({
    url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? '/v1/responses'),
    headers: vendor.headers?.(call) ?? bearerHeaders(call),
    body: JSON.stringify(toNativeBody(call)),
  }),
  reply: readReply,
  stream: createResponsesStreamReader,
  ...(vendor.revokedKey && { failure: createFailureReader(vendor.revokedKey) }),
})

/** Moves an effort suffix of the model name to its own field. */
function toNativeBody({ body, model: name }: AdapterCall<JsonObject>): JsonObject {
  const { model, effort } = splitEffort(name)
  return effort === undefined
    ? { ...body, model }
    : { ...body, model, reasoning: { ...asObject(body.reasoning), effort } }
}

/** Items of the vendor's own tools have no canonical form and are dropped. */
export function readReply(json: unknown): AdapterResult<ChatReply> {
  if (!isObject(json) || !Array.isArray(json.output) || json.status === 'failed')
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const reply = { id: asString(json.id), model: asString(json.model), choices: [toChoice(json)] }
  return { kind: 'reply', reply, usage: readResponsesUsage(json.usage) }
}

function toChoice(json: JsonObject): ChatChoice {
  const items = asArray(json.output).map(asObject)
  const text = selectParts(items, 'message', 'content')
  const thought = [
    ...selectParts(items, 'reasoning', 'summary'),
    ...selectParts(items, 'reasoning', 'content'),
  ]
  const calls = items.filter(({ type }) => type === 'function_call').map(toToolCall)
  return {
    text: joinField(text, 'text'),
    refusal: joinField(text, 'refusal') || undefined,
    reasoning: joinField(thought, 'text') || undefined,
    reasoningSignature: readSignature(items),
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json, calls.length > 0),
  }
}

const selectParts = (items: readonly JsonObject[], type: string, field: string): readonly JsonObject[] =>
  items.filter(item => item.type === type).flatMap(item => asArray(item[field]).map(asObject))

const joinField = (parts: readonly JsonObject[], field: string): string =>
  parts.map(part => asString(part[field]) ?? '').join('')

const readSignature = (items: readonly JsonObject[]): string | undefined =>
  asString(items.findLast(({ type }) => type === 'reasoning')?.encrypted_content) || undefined

const toToolCall = (item: JsonObject): ToolCall => ({
  id: asString(item.call_id) ?? '',
  type: 'function',
  function: { name: asString(item.name) ?? '', arguments: asString(item.arguments) ?? '' },
})

/** Why a response ended, from its `incomplete_details`. */
export function readFinish({ incomplete_details }: JsonObject, hasCalls: boolean): FinishReason {
  const { reason } = asObject(incomplete_details)
  if (reason === 'max_output_tokens') return 'length'
  if (reason === 'content_filter') return 'content_filter'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** An error event holds its message at the top level, a failed response in `error`. */
export const readStreamFailure = (json: JsonObject): Failure =>
  readEmbeddedFailure({ error: json.type === 'error' ? (json.error ?? json) : asObject(json.response).error })

/** Reads `usage` with the field names of the Responses API. */
export function readResponsesUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  return usageFromTotals({
    prompt: asCount(json.input_tokens),
    cachedInput: asCount(asObject(json.input_tokens_details).cached_tokens),
    completion: asCount(json.output_tokens),
    reasoning: asCount(asObject(json.output_tokens_details).reasoning_tokens),
  })
}
