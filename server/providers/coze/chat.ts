import { GatewayError } from '../../core/errors.ts'
import { ownMessage } from '../../core/language.ts'
import type { Usage } from '../../core/usage.ts'
import {
  isSystemMessage,
  sendForm,
  toContentParts,
  toImageUrl,
  toPlainText,
  uploadedFileId,
  uploadImages,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatChunk, ChatMessage, ContentPart } from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type ChatAdapter,
  type PrepareContext,
  type ProviderIo,
  type StreamPiece,
  type StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import {
  type Failure,
  maskSecrets,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
  upstreamFailed,
} from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import { asCount, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { invalidRequest, partOfType, TEXT_AND_IMAGES } from '../../provider-kit/validation.ts'

/** Source: coze.com/docs/developer_guides/upload_files */
const uploadToCoze = ({ body, channel }: PrepareContext<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadImages(body, async file => {
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields: { file } },
      io,
    )
    return (
      asString(asObject(asObject(json).data).id) ??
      upstreamFailed({ zh: '没有接受图片', en: 'did not accept an image' }, { status, json })
    )
  })

/** The API always streams. Complete JSON in place of a stream is an error. */
export const chat: ChatAdapter = {
  framing: 'sse',
  prepare: uploadToCoze,
  request: call => ({
    url: `${call.channel.baseUrl}/v3/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toCozeBody(call)),
  }),
  reply: json => ({ kind: 'failure', failure: readCozeError(json) ?? readEmbeddedFailure(json) }),
  stream: createCozeStreamReader,
  failure: readCozeFailure,
}

/** Messages arrive in pieces and then once more as a whole. Only pieces of type `answer` count. */
function createCozeStreamReader(): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isComplete = false

  const readEvent = (name: string | undefined, json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    switch (name) {
      case 'conversation.chat.created':
        return [{ type: 'start', id: asString(json.id) }]
      case 'conversation.message.delta':
        return json.type === 'answer' ? readDelta(json) : []
      case 'conversation.chat.completed':
        isComplete = true
        usage = readUsage(json.usage)
        return [{ type: 'finish', reason: 'stop' }]
      case 'conversation.chat.requires_action':
        return [{ type: 'failure', failure: WANTS_ACTION }]
      case 'conversation.chat.failed':
        return [{ type: 'failure', failure: readCozeError(json.last_error) ?? readEmbeddedFailure(json) }]
      case 'error':
        return [{ type: 'failure', failure: readCozeError(json) ?? readEmbeddedFailure(json) }]
      default:
        return []
    }
  }

  const readJson = readJsonEvents((json, name) => readEvent(name, json))
  return {
    read: event => (event.name === 'done' ? [] : readJson(event)),
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

const WANTS_ACTION: Failure = {
  status: 502,
  code: 'requires_action',
  ...ownMessage({
    zh: '智能体在等待客户端插件的结果，网关无法提供',
    en: 'the bot is waiting for the result of a client-side plugin, which the gateway cannot provide',
  }),
  type: 'upstream_error',
}

function readDelta({ content, reasoning_content }: JsonObject): readonly ChatChunk[] {
  const reasoning = asString(reasoning_content)
  const text = asString(content)
  return [
    ...(reasoning ? [{ type: 'reasoning-delta' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text-delta' as const, text }] : []),
  ]
}

function readUsage(json: unknown): Usage | undefined {
  const { input_count, output_count } = asObject(json)
  return usageFromTotals({ prompt: asCount(input_count), completion: asCount(output_count) })
}

/** Statuses of Coze's codes. Source: coze.com/docs/developer_guides/coze_error_codes */
const STATUS_OF: Readonly<Record<number, number>> = {
  4000: 400,
  4008: 402,
  4009: 429,
  4011: 402,
  4013: 429,
  4015: 404,
  4016: 429,
  4027: 402,
  4028: 402,
  4100: 401,
  4101: 403,
  4200: 404,
  5000: 500,
  700012006: 401,
}

const STATUS_UNKNOWN = 502

const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Most errors have status 200. */
function readCozeFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readCozeError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** Undefined for JSON that is not one of Coze's errors. */
function readCozeError(json: unknown): Failure | undefined {
  const number = asCount(asObject(json).code)
  if (!isObject(json) || number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF[number] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(json.msg) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: REVOKED_KEY_STATUSES.has(status) }
}

const BOT_IN_NAME = /^bot-(\d+)$/

/**
 * Always streams, since a complete response would have to be polled; the relay collects the chunks instead. A request
 * without a user gets a new user id, so that a bot's memory is never shared between callers.
 */
function toCozeBody({ channel, model, body, requestId }: AdapterCall<ChatBody>): JsonObject {
  const bot = BOT_IN_NAME.exec(model)?.[1] ?? channel.other
  if (!bot)
    throw new GatewayError('upstream_failed', {
      zh: '渠道和模型名称都没有指定智能体',
      en: 'neither the channel nor the model names a bot',
    })
  return {
    bot_id: bot,
    user_id: typeof body.user === 'string' ? body.user : requestId,
    stream: true,
    auto_save_history: true,
    additional_messages: toMessages(body.messages),
  }
}

/** The API has no role for system texts, so they precede the first user message. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const system = messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const turns = messages.filter(message => !isSystemMessage(message))
  const first = turns.findIndex(({ role }) => role === 'user')
  if (system.length === 0) return turns.map(message => toMessage(message))
  if (first === -1)
    return [...turns.map(message => toMessage(message)), toMessage(toUserMessage(system.join('\n')))]
  const opening: ContentPart = { type: 'text', text: `${system.join('\n')}\n` }
  return turns.map((message, index) => toMessage(message, index === first ? [opening] : []))
}

const toUserMessage = (content: string): ChatMessage => ({ role: 'user', content })

function toMessage({ role, content }: ChatMessage, before: readonly ContentPart[] = []): JsonObject {
  const parts = [...before, ...toContentParts(content)]
  const isPlain = parts.every(({ type }) => type === 'text')
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    type: role === 'assistant' ? 'answer' : 'question',
    content: isPlain ? toPlainText(parts) : JSON.stringify(parts.map(toPart)),
    content_type: isPlain ? 'text' : 'object_string',
  }
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image_url':
      return { type: 'image', file_url: toImageUrl(part.image_url) }
    case 'file':
      return { type: 'image', file_id: uploadedFileId(part.file) }
    default:
      return invalidRequest('messages', partOfType(part.type), TEXT_AND_IMAGES)
  }
}
