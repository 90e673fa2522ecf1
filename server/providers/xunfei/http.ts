import type { ChatBody, ChatChunk } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  ChannelView,
  ChatAdapter,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { type Failure, maskSecrets, type ResponseHeaders, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { resolveSparkVersion } from './endpoint.ts'

const HTTP_BASE = 'https://spark-api-open.xf-yun.com'
/** The reasoning models have an API version of their own. */
const NEWEST = /^x1/i
const PART_OF_A_FAMILY = /^SparkDesk/

/** Whether a channel uses HTTP: by its base URL, or because its key cannot sign for the WebSocket. */
export const usesHttp = ({ key, baseUrl }: ChannelView): boolean =>
  !key.includes('|') || /^https?:/.test(baseUrl)

/** Source: xfyun.cn/doc/spark/HTTP调用文档.html */
const plain = openaiCompatibleChat({
  url: toUrl,
  headers: toHeaders,
  rules: { rejectsDeveloperRole: true },
  rejectsStreamOptions: true,
  rename: { max_completion_tokens: 'max_tokens' },
  adjust: toHttpBody,
  readFailure: readSparkError,
  isRewritten: true,
})

/** Like OpenAI's, except that streams never have a finish reason. */
export const httpChat: ChatAdapter = { ...plain, stream: call => endingWell(plain.stream?.(call)) }

function toUrl({ channel, model }: AdapterCall<ChatBody>): string {
  const base = /^https?:/.test(channel.baseUrl) ? channel.baseUrl : HTTP_BASE
  return `${base}/${NEWEST.test(model) ? 'v2' : 'v1'}/chat/completions`
}

/** The API password, or the two parts that replace it. */
function toHeaders({ channel }: AdapterCall<ChatBody>): Record<string, string> {
  const [only, secret, key] = channel.key.split('|')
  const password = secret && key ? `${key}:${secret}` : only
  return { authorization: `Bearer ${password}`, 'content-type': 'application/json' }
}

/** The models are called by their domain. */
function toHttpBody(body: JsonObject, { channel, model }: AdapterCall<unknown>): JsonObject {
  return PART_OF_A_FAMILY.test(model)
    ? { ...body, model: resolveSparkVersion(model, channel.other).domain }
    : body
}

function endingWell(reader: StreamReader<ChatChunk> | undefined): StreamReader<ChatChunk> {
  if (!reader) throw new Error('the OpenAI-compatible adapter has no stream reader')
  let isFinished = false
  return {
    read(event) {
      const pieces = reader.read(event)
      isFinished ||= pieces.some(({ type }) => type === 'finish')
      return pieces
    },
    end() {
      const end = reader.end()
      const isMissing = end.isComplete && !isFinished
      return { ...end, chunks: [...end.chunks, ...(isMissing ? [STOP] : [])] }
    },
  }
}

const STOP: ChatChunk = { type: 'finish', reason: 'stop' }

/** Statuses of error codes; the first match applies. Source: xfyun.cn/doc/spark/general_error_code.html */
const STATUS_OF: readonly (readonly [code: RegExp, status: number])[] = [
  [/^(?:10007|10008|10110|1120[1-3])$/, 429],
  [/^(?:11200|1001[56])$/, 401],
  [/^(?:10013|10014|10019|10907|10163|1000[3-5])$/, 400],
]
const STATUS_UNKNOWN = 502
/**
 * The quota is exhausted or was never granted. The two codes for an unknown application may result from a wrong
 * version in one request.
 */
const REVOKED_KEY_CODES = '11200'

/** A rejected handshake has only a status. Other errors have status 200. */
export function readSparkFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readSparkError(asObject(parseJson(body))) ?? readFailure(status, body, headers)
  return body === '' && (status === 401 || status === 403)
    ? { ...failure, message: HANDSHAKE_REJECTED }
    : failure
}

const HANDSHAKE_REJECTED =
  'the handshake was rejected: the key must be APPID|APISecret|APIKey in this order, and the clock must be right'

/** `{ code, message }` of a frame header or of an HTTP response. Undefined where the code is 0. */
export function readSparkError(json: { readonly [name: string]: unknown }): Failure | undefined {
  const number = asCount(json.code)
  if (number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF.find(([pattern]) => pattern.test(code))?.[1] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(json.message) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: code === REVOKED_KEY_CODES }
}
