import {
  type AdapterCall,
  bearerHeaders,
  type NativeAdapter,
  stringifyBody,
  type TokenCountAdapter,
} from '../contract/operation-adapter.ts'
import { createFailureReader, type RevokedKeySigns, readEmbeddedFailure } from '../failures.ts'
import { asCount, asObject, type JsonObject } from '../json.ts'
import { openaiUrl } from '../openai-compatible/request.ts'
import { readReasoningModel } from '../openai-compatible/rules.ts'
import { readCarriedSignature } from '../rules/carried-signatures.ts'
import { forMappedModels, withLimit } from '../rules/mapped-model.ts'
import { createResponsesStreamReader, readReply } from './response.ts'

interface ResponsesNativeOptions {
  /** Path below the base URL. */
  readonly path?: string
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<unknown>) => string
  readonly headers?: (call: AdapterCall<unknown>) => Record<string, string>
  readonly acceptsTool?: NativeAdapter['acceptsTool']
  readonly revokedKey?: RevokedKeySigns
}

/**
 * The Responses API, for its own clients at providers that support it. Source:
 * platform.openai.com/docs/api-reference/responses
 */
export const responsesNative = (provider: ResponsesNativeOptions = {}): NativeAdapter =>
  forMappedModels(
    {
      nativeFormat: 'responses',
      framing: 'sse',
      request: call => ({
        url: provider.url?.(call) ?? openaiUrl(call.channel.baseUrl, provider.path ?? '/v1/responses'),
        headers: provider.headers?.(call) ?? bearerHeaders(call),
        body: stringifyBody(toNativeBody(call), call),
      }),
      reply: readReply,
      stream: createResponsesStreamReader,
      ...(provider.acceptsTool && { acceptsTool: provider.acceptsTool }),
      ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
    },
    (body, { outputTokensMax }) => withLimit(body, ['max_output_tokens'], outputTokensMax),
  )

/** The fields that change how many tokens a request has. The API rejects others. */
const COUNTED_FIELDS: readonly string[] = [
  ...['conversation', 'input', 'instructions', 'parallel_tool_calls'],
  ...['previous_response_id', 'reasoning', 'text', 'tool_choice', 'tools'],
  ...['truncation'],
]

/** Source: platform.openai.com/docs/api-reference/responses/input-tokens */
export const responsesTokenCount: TokenCountAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/responses/input_tokens'),
    headers: bearerHeaders(call),
    body: stringifyBody(toCountedBody(call), call),
  }),
  reply(json) {
    const tokens = asCount(asObject(json).input_tokens)
    return tokens > 0
      ? { kind: 'reply', reply: tokens }
      : { kind: 'failure', failure: readEmbeddedFailure(json) }
  },
}

function toCountedBody(call: AdapterCall<JsonObject>): JsonObject {
  const body = toNativeBody(call)
  const counted = COUNTED_FIELDS.flatMap(name => (body[name] === undefined ? [] : [[name, body[name]]]))
  return { model: body.model, ...Object.fromEntries(counted) }
}

/** Moves an effort suffix of the model name to its own field. */
function toNativeBody({ body: clientBody, model: name }: AdapterCall<JsonObject>): JsonObject {
  const body = withoutCarried(clientBody)
  const { name: model = name, suffix } = readReasoningModel(name) ?? {}
  return suffix === undefined
    ? { ...body, model }
    : { ...body, model, reasoning: { ...asObject(body.reasoning), effort: suffix } }
}

const isCarried = (item: unknown): boolean =>
  readCarriedSignature(asObject(item).encrypted_content) !== undefined

/** Without what Claude thought: the provider rejects encrypted content of others. */
const withoutCarried = (body: JsonObject): JsonObject =>
  Array.isArray(body.input) && body.input.some(isCarried)
    ? { ...body, input: body.input.filter(item => !isCarried(item)) }
    : body
