import type { Usage } from '../../core/usage.ts'
import {
  joinTextParts,
  sendForm,
  toContentParts,
  toImageUrl,
  uploadedFileId,
  uploadImages,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ContentPart,
} from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChatAdapter,
  type PrepareContext,
  type ProviderIo,
  type StreamPiece,
  type StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
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
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { invalidRequest, partOfType, TEXT_AND_IMAGES } from '../../provider-kit/validation.ts'

const PATH_OF: Readonly<Record<AppKind, string>> = {
  chat: '/v1/chat-messages',
  completion: '/v1/completion-messages',
  workflow: '/v1/workflows/run',
}

export const chat: ChatAdapter = {
  framing: 'sse',
  prepare: uploadToDify,
  request: call => ({
    url: call.channel.baseUrl + PATH_OF[toAppKind(call.model)],
    headers: bearerHeaders(call),
    body: JSON.stringify(toDifyBody(call)),
  }),
  reply: readReply,
  stream: createDifyStreamReader,
  failure: readDifyFailure,
}

/**
 * Always streams, since complete responses time out after 100 seconds and agents only stream; the relay collects the
 * chunks. A request without a user gets a new user id, so that an application's memory is never shared between
 * callers.
 */
function toDifyBody({ body, model, requestId }: AdapterCall<ChatBody>): JsonObject {
  const query = toQuery(body.messages)
  const common = {
    response_mode: 'streaming',
    user: readUser({ body, requestId }),
    files: body.messages.flatMap(({ content }) => toContentParts(content)).flatMap(toFiles),
  }
  const kind = toAppKind(model)
  if (kind !== 'chat') return { inputs: { query }, ...common }
  return { inputs: {}, query, ...common, auto_generate_name: false }
}

/** The user of a request, who also owns its uploads. */
const readUser = ({ body, requestId }: Pick<AdapterCall<ChatBody>, 'body' | 'requestId'>): string =>
  typeof body.user === 'string' ? body.user : requestId

/** An application takes a single text. One question is sent unchanged; a conversation is written as one text. */
function toQuery(messages: readonly ChatMessage[]): string {
  const [only, ...more] = messages
  if (only?.role === 'user' && more.length === 0) return joinTextParts(only.content)
  return messages.map(({ role, content }) => `${role.toUpperCase()}: \n${joinTextParts(content)}\n`).join('')
}

function toFiles(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return []
    case 'image_url':
      return [{ type: 'image', transfer_method: 'remote_url', url: toImageUrl(part.image_url) }]
    case 'file':
      return [{ type: 'image', transfer_method: 'local_file', upload_file_id: uploadedFileId(part.file) }]
    default:
      return invalidRequest('messages', partOfType(part.type), TEXT_AND_IMAGES)
  }
}

/** The kind of an application, from the prefix of the model name, since the API does not report it. */
type AppKind = 'chat' | 'completion' | 'workflow'

function toAppKind(model: string): AppKind {
  if (model.startsWith('dify-workflow')) return 'workflow'
  return model.startsWith('dify-completion') ? 'completion' : 'chat'
}

/** Uploads images under the user of the request. Source: docs.dify.ai/api-reference/files/file-upload */
function uploadToDify(context: PrepareContext<ChatBody>, io: ProviderIo): Promise<ChatBody> {
  const { channel } = context
  return uploadImages(context.body, async file => {
    const fields = { file, user: readUser(context) }
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields },
      io,
    )
    return (
      asString(asObject(json).id) ??
      upstreamFailed({ zh: '没有接受图片', en: 'did not accept an image' }, { status, json })
    )
  })
}

/** For servers that do not stream although a stream was requested. */
function readReply(json: unknown, { model }: Pick<AdapterCall<unknown>, 'model'>): AdapterResult<ChatReply> {
  const read = toAppKind(model) === 'workflow' ? readRun(json) : readMessage(json)
  if (read === undefined)
    return {
      kind: 'failure',
      failure: asObject(json).code ? readDifyError(json) : readEmbeddedFailure(json),
    }
  const { id, text, usage } = read
  return { kind: 'reply', reply: { id, choices: [{ text, finish: 'stop' }] }, usage: readOpenaiUsage(usage) }
}

interface BlockingReply {
  readonly id: string | undefined
  readonly text: string
  readonly usage: unknown
}

function readMessage(json: unknown): BlockingReply | undefined {
  const { answer: text, message_id, metadata } = asObject(json)
  if (typeof text !== 'string') return undefined
  return { id: asString(message_id), text, usage: asObject(metadata).usage }
}

function readRun(json: unknown): BlockingReply | undefined {
  const { data, workflow_run_id } = asObject(json)
  if (!isObject(data) || data.status !== 'succeeded') return undefined
  return { id: asString(workflow_run_id), text: readOutputText(data), usage: readRunUsage(data) }
}

/** Workflows name their outputs freely: a single text is the response, else all outputs as JSON. */
export function readOutputText({ outputs }: JsonObject): string {
  const named = asObject(outputs)
  const [first, ...more] = Object.values(named)
  if (first === undefined) return ''
  return asString(named.text) ?? (more.length === 0 ? asString(first) : undefined) ?? JSON.stringify(named)
}

/** A run reports the total only, which counts as input. */
const readRunUsage = ({ total_tokens }: JsonObject): JsonObject => ({
  prompt_tokens: asCount(total_tokens),
})

type DifyPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: DifyPieces = []

/** Older versions wrap thinking in HTML tags, each in a chunk of its own. */
const THOUGHT_OPENS = /^<details[^>]*>\s*<summary>\s*Thinking\.\.\.\s*<\/summary>\s*$/
const THOUGHT_CLOSES = /^\s*<\/details>\s*$/

/**
 * The events of chats, agents, text generators and workflows. A chat may contain a workflow, whose end arrives before
 * or after its own; an agent may repeat the complete response as a message.
 */
function createDifyStreamReader({ model }: Pick<AdapterCall<unknown>, 'model'>): StreamReader<ChatChunk> {
  const isWorkflow = toAppKind(model) === 'workflow'
  let usage: Usage | undefined
  let isComplete = false
  let isAgent = false
  let isCensored = false
  let hasText = false
  let isThinking = false

  const write = (text: unknown): DifyPieces => {
    if (typeof text !== 'string' || text === '') return NO_PIECES
    const isTag = isThinking ? THOUGHT_CLOSES.test(text) : THOUGHT_OPENS.test(text)
    if (isTag) {
      isThinking = !isThinking
      return NO_PIECES
    }
    hasText = true
    return [{ type: isThinking ? 'reasoning-delta' : 'text-delta', text }]
  }

  const finish = (): ChatChunk => {
    isComplete = true
    return { type: 'finish', reason: isCensored ? 'content_filter' : 'stop' }
  }

  const endRun = (run: JsonObject): DifyPieces => {
    if (run.status === 'failed' || run.status === 'stopped')
      return [{ type: 'failure', failure: readDifyError({ message: run.error, code: `run_${run.status}` }) }]
    usage ??= readOpenaiUsage(readRunUsage(run))
    if (!isWorkflow) return NO_PIECES
    return [...(hasText ? NO_PIECES : write(readOutputText(run))), finish()]
  }

  const readEvent = (json: JsonObject): DifyPieces => {
    switch (json.event) {
      case 'agent_message':
        isAgent = true
        return write(json.answer)
      case 'message':
        return isAgent ? NO_PIECES : write(json.answer)
      case 'text_chunk':
        return isWorkflow ? write(asObject(json.data).text) : NO_PIECES
      case 'message_replace':
        isCensored = true
        return [{ type: 'refusal-delta', text: asString(json.answer) ?? '' }]
      case 'message_end':
        usage = readOpenaiUsage(asObject(json.metadata).usage) ?? usage
        return [finish()]
      case 'workflow_finished':
        return endRun(asObject(json.data))
      case 'error':
        return [{ type: 'failure', failure: readDifyError(json) }]
      default:
        return NO_PIECES
    }
  }

  return {
    read: readJsonEvents(readEvent),
    end: () => ({ chunks: NO_PIECES, usage, isComplete }),
  }
}

/**
 * Errors with status 400 that are the application's fault, not the request's. Source: docs.dify.ai/api-reference,
 * "Errors"
 */
const FAULTS_OF_THE_APP: ReadonlySet<string> = new Set([
  'app_unavailable',
  'not_chat_app',
  'not_workflow_app',
  'provider_not_initialize',
  'provider_quota_exceeded',
  'model_currently_not_support',
])
const SPENT = 'provider_quota_exceeded'
const STATUS_UNKNOWN = 502

function readDifyFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const json = parseJson(body)
  return isDifyError(json) ? { ...failure, ...readDifyError({ ...json, status }) } : failure
}

const isDifyError = (json: unknown): json is Readonly<Record<string, unknown>> =>
  isObject(json) && asString(json.code) !== undefined

/** `{ code, message, status }`, as a response of its own or as an event of a stream. */
function readDifyError(json: unknown): Failure {
  const { status, code, message } = asObject(json)
  const word = asString(code) || 'upstream_error'
  const number = asCount(status) >= 400 ? asCount(status) : STATUS_UNKNOWN
  return {
    status: number,
    code: word,
    type: 'upstream_error',
    message: maskSecrets(asString(message) || word),
    isKeyRevoked: number === 401 || word === SPENT,
    ...(FAULTS_OF_THE_APP.has(word) && { isRetryable: true }),
  }
}
