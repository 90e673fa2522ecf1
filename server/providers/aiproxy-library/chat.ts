import { GatewayError } from '../../core/errors.ts'
import { toPlainText } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatChunk, ChatReply } from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChatAdapter,
  type StreamPiece,
  type StreamReader,
  type UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { type Failure, maskSecrets, readEmbeddedFailure, readFailure } from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../provider-kit/json.ts'

const STATUS_UNKNOWN = 502

/**
 * Answers questions about a document library and lists the sources below the response. Reports no usage. Source:
 * docs.aiproxy.io
 */
export const chat: ChatAdapter = {
  framing: 'sse',
  request: toRequest,
  reply: readReply,
  stream: createLibraryStreamReader,
  failure: (status, body, headers) => readLibraryError(parseJson(body)) ?? readFailure(status, body, headers),
}

/** The API takes a single question, so only the last message is sent, and media in any of them is refused. */
function toRequest(call: AdapterCall<ChatBody>): UpstreamRequest {
  const { channel, model, body, isStream } = call
  if (channel.other === '')
    throw new GatewayError('upstream_failed', {
      zh: '渠道没有填写知识库 ID',
      en: 'the channel names no library',
    })
  const query = body.messages.map(({ content }) => toPlainText(content)).at(-1) ?? ''
  return {
    url: `${channel.baseUrl}/api/library/ask`,
    headers: bearerHeaders(call),
    body: JSON.stringify({ model, stream: isStream, query, libraryId: channel.other }),
  }
}

/** Errors have status 200 and a code that is a status where possible. */
function readLibraryError(json: unknown): Failure | undefined {
  const { success, errCode, message } = asObject(json)
  const number = asCount(errCode)
  if (success !== false && number === 0) return undefined
  const status = number >= 400 && number < 600 ? number : STATUS_UNKNOWN
  const code = number > 0 ? String(number) : 'upstream_error'
  const text = maskSecrets(asString(message) || `error ${code}`)
  return { status, code, type: 'upstream_error', message: text, isKeyRevoked: status === 401 }
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  const failure = readLibraryError(json)
  if (failure || !isObject(json) || typeof json.answer !== 'string')
    return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
  const choice = { text: json.answer + toSources(json.documents), finish: 'stop' as const }
  return { kind: 'reply', reply: { choices: [choice] } }
}

/** A numbered Markdown list of links. */
function toSources(documents: unknown): string {
  const lines = asArray(documents)
    .map(asObject)
    .map(({ title, url }, index) => `${index + 1}. [${asString(title) ?? ''}](${asString(url) ?? ''})`)
  return lines.length > 0 ? `\n\n参考文档：\n\n${lines.join('\n')}` : ''
}

function createLibraryStreamReader(): StreamReader<ChatChunk> {
  let isStarted = false
  let isComplete = false

  const readEvent = (json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    const failure = readLibraryError(json)
    if (failure) return [{ type: 'failure', failure }]
    const pieces: ChatChunk[] = isStarted ? [] : [{ type: 'start', model: asString(json.model) }]
    isStarted = true
    const isLast = json.finish === true
    const text = (asString(json.content) ?? '') + (isLast ? toSources(json.documents) : '')
    if (text) pieces.push({ type: 'text-delta', text })
    if (!isLast) return pieces
    isComplete = true
    return [...pieces, { type: 'finish', reason: 'stop' }]
  }

  return {
    read: readJsonEvents(readEvent),
    end: () => ({ chunks: [], isComplete }),
  }
}
