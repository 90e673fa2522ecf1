import { createHmac } from 'node:crypto'
import type { Usage } from '../../core/usage.ts'
import { isSystemMessage, toPlainText } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatChunk, ChatMessage, ChatReply } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  StreamEvent,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  type Failure,
  invalidKeyFormat,
  maskSecrets,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { signJwt } from '../../provider-kit/signing.ts'

export const chat: ChatAdapter = {
  framing: 'sse',
  request: call => ({
    url: `${call.channel.baseUrl}/api/paas/v3/model-api/${encodeURIComponent(call.model)}/${toMethod(call)}`,
    headers: { authorization: zhipuToken(call), 'content-type': 'application/json' },
    body: JSON.stringify(toZhipuBody(call)),
  }),
  reply: readReply,
  stream: createZhipuStreamReader,
  failure: readZhipuFailure,
}

const toMethod = ({ isStream }: AdapterCall<unknown>): string => (isStream ? 'sse-invoke' : 'invoke')

function readReply(json: unknown): AdapterResult<ChatReply> {
  const { data } = asObject(json)
  const { task_id, choices, usage } = asObject(data)
  if (!Array.isArray(choices))
    return { kind: 'failure', failure: readZhipuError(json) ?? readEmbeddedFailure(json) }
  const parsedChoices = choices.map(choice => ({
    text: unquoted(asString(asObject(choice).content) ?? ''),
    finish: 'stop' as const,
  }))
  return {
    kind: 'reply',
    reply: { id: asString(task_id), choices: parsedChoices },
    usage: readOpenaiUsage(usage),
  }
}

/** Complete responses hold the text as a JSON string with quotes and escapes. */
const unquoted = (content: string): string => asString(parseJson(content)) ?? content

const META = /^meta:(.*)$/m

/** Usage is in a field `meta` of the last event, which is not part of server-sent events. */
function createZhipuStreamReader(): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isComplete = false
  const finish = (event: StreamEvent, reason: 'stop' | 'content_filter'): ChatChunk => {
    const meta = parseJson(META.exec(event.raw)?.[1] ?? '')
    usage = readOpenaiUsage(asObject(meta).usage)
    isComplete = true
    return { type: 'finish', reason }
  }
  const read = (event: StreamEvent): readonly StreamPiece<ChatChunk>[] => {
    switch (event.name) {
      case 'add':
        return textOnly(event.data)
      case 'finish':
        return [...textOnly(event.data), finish(event, 'stop')]
      case 'interrupted':
        return [finish(event, 'content_filter')]
      case 'error':
        return [{ type: 'failure', failure: readEventError(event.data) }]
      default:
        return []
    }
  }
  return { read, end: () => ({ chunks: [], usage, isComplete }) }
}

const textOnly = (text: string): readonly ChatChunk[] => (text === '' ? [] : [{ type: 'text-delta', text }])

/** A plain message, or JSON as in a complete response. */
function readEventError(data: string) {
  const json = parseJson(data)
  const message = maskSecrets(data) || 'the stream ended with an error'
  return readZhipuError(json) ?? { status: 502, code: 'upstream_error', message, type: 'upstream_error' }
}

/** Statuses of error codes; the first match applies. Source: open.bigmodel.cn/dev/api#error-code-v3 */
const STATUS_OF: readonly (readonly [code: RegExp, status: number])[] = [
  [/^100[0-4]$/, 401],
  [/^111[0-2]$/, 403],
  [/^1113$/, 402],
  [/^1211$/, 404],
  [/^1220$/, 403],
  [/^12\d\d$/, 400],
  [/^1301$/, 400],
  [/^130[2-5]$/, 429],
  [/^500$/, 500],
]
const STATUS_UNKNOWN = 502
const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Errors have any status, most of them 200. */
function readZhipuFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readZhipuError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** Undefined for JSON that is not one of Zhipu's errors. */
function readZhipuError(json: unknown): Failure | undefined {
  const { success, msg } = asObject(json)
  if (!isObject(json) || success === true) return undefined
  const number = asCount(json.code)
  if (number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF.find(([pattern]) => pattern.test(code))?.[1] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(msg) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: REVOKED_KEY_STATUSES.has(status) }
}

const LEAST = 0.01
const MOST = 0.99
/** A system text is followed by an acknowledging turn, as in the models' training. */
const ACKNOWLEDGED: JsonObject = { role: 'user', content: 'Okay' }

/** Builds a version 3 body. Fields without a counterpart are dropped: tools, stop sequences, an output limit. */
function toZhipuBody({ body, requestId }: AdapterCall<ChatBody>): JsonObject {
  return {
    prompt: body.messages.flatMap(toTurns),
    temperature: within(body.temperature),
    top_p: within(body.top_p),
    request_id: requestId,
    incremental: true,
  }
}

const within = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, LEAST), MOST) : undefined

function toTurns(message: ChatMessage): readonly JsonObject[] {
  const { role, content } = message
  const text = toPlainText(content)
  if (isSystemMessage(message)) return [{ role: 'system', content: text }, ACKNOWLEDGED]
  return [{ role: role === 'assistant' ? 'assistant' : 'user', content: text }]
}

const HEADER = { alg: 'HS256', sign_type: 'SIGN' }
const LIFE_SECONDS = 86_400

/**
 * A token that is valid for one day, signed with the secret part of the key `id.secret`. Its times are in
 * milliseconds. Throws a GatewayError for a malformed key.
 * Source: open.bigmodel.cn/dev/api#http_auth
 */
export function zhipuToken({
  channel,
  nowSeconds,
}: Pick<AdapterCall<unknown>, 'channel' | 'nowSeconds'>): string {
  const [id, secret] = channel.key.split('.')
  if (!id || !secret) throw invalidKeyFormat('id.secret')
  const timestamp = nowSeconds * 1000
  const claims = { api_key: id, exp: timestamp + LIFE_SECONDS * 1000, timestamp }
  return signJwt(HEADER, claims, text => createHmac('sha256', secret).update(text).digest())
}
