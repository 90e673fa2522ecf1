import { ownMessage } from '../../core/language.ts'
import { isSystemMessage, toPlainText } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ChatReply } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  EmbeddingsAdapter,
  UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import {
  type Failure,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { countOfTexts, invalidRequest } from '../../provider-kit/validation.ts'

/** Responses are never streamed and have neither a finish reason nor usage. */
export const chat: ChatAdapter = {
  request: call => toPalmRequest(call, 'generateMessage', toPalmBody(call.body)),
  reply: readReply,
  failure: readPalmFailure,
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  const candidates = asArray(asObject(json).candidates).map(asObject)
  if (candidates.length === 0)
    return { kind: 'failure', failure: readFilteredFailure(json) ?? readEmbeddedFailure(json) }
  const choices = candidates.map(({ content }) => ({
    text: asString(content) ?? '',
    finish: 'stop' as const,
  }))
  return { kind: 'reply', reply: { choices } }
}

/** Without candidates, `filters` gives the reason. */
function readFilteredFailure(json: unknown): Failure | undefined {
  const [filter] = asArray(asObject(json).filters)
  if (!isObject(filter)) return undefined
  return {
    status: 400,
    code: 'content_filter',
    ...ownMessage({
      zh: `提示词被拦截：${asString(filter.reason) ?? '未说明原因'}`,
      en: `the prompt was blocked: ${asString(filter.reason) ?? 'no reason given'}`,
    }),
    isRetryable: false,
  }
}

const CANDIDATES_MAX = 8
const AUTHOR_USER = '0'
const AUTHOR_MODEL = '1'

/** Builds a PaLM body. Fields without a counterpart are dropped: tools, stop sequences, an output limit. */
function toPalmBody(body: ChatBody): JsonObject {
  const system = body.messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  return {
    prompt: {
      context: system.length > 0 ? system.join('\n') : undefined,
      messages: body.messages.filter(message => !isSystemMessage(message)).map(toMessage),
    },
    temperature: fraction(body.temperature),
    candidateCount: body.n ? Math.min(body.n, CANDIDATES_MAX) : undefined,
    topP: fraction(body.top_p),
    topK: body.top_k ?? undefined,
  }
}

const fraction = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, 0), 1) : undefined

function toMessage({ role, content }: ChatMessage): JsonObject {
  return { author: role === 'assistant' ? AUTHOR_MODEL : AUTHOR_USER, content: toPlainText(content) }
}

const BAD_KEY = /API key (?:not valid|expired)/

/** An invalid key is reported as a 400, recognizable by its message only. */
export function readPalmFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const code = asString(asObject(asObject(parseJson(body)).error).status) ?? failure.code
  const isKeyRevoked = BAD_KEY.test(failure.message) || status === 403 || failure.isKeyRevoked
  return { ...failure, code, isKeyRevoked, isRetryable: isKeyRevoked || undefined }
}

/** Model names under which the lineage offers them. */
const NAME_OF: Readonly<Record<string, string>> = { 'PaLM-2': 'chat-bison-001' }

/**
 * The request to a PaLM method. Source: the archived reference of v1beta2, developers.generativeai.google/api/rest
 */
export function toPalmRequest(
  { channel, model }: AdapterCall<unknown>,
  method: string,
  body: object,
): UpstreamRequest {
  const name = encodeURIComponent(NAME_OF[model] ?? model)
  return {
    url: `${channel.baseUrl}/v1beta2/models/${name}:${method}`,
    headers: { 'x-goog-api-key': channel.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** One text per call, without usage. */
export const embeddings: EmbeddingsAdapter = {
  request(call) {
    const [text, ...more] = embeddingTexts(call.body)
    if (more.length > 0)
      invalidRequest('input', countOfTexts(more.length + 1), {
        zh: '每次一段文本（该供应商的限制）',
        en: 'one text per call for this provider',
      })
    return toPalmRequest(call, 'embedText', { text })
  },
  reply(json) {
    const { value } = asObject(asObject(json).embedding)
    if (!Array.isArray(value)) return { kind: 'failure', failure: readEmbeddedFailure(json) }
    return { kind: 'reply', reply: { vectors: [asArray(value).map(Number)] } }
  },
  failure: readPalmFailure,
}
