import type { ChatReply } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  Failure,
  ResponseHeaders,
} from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readEmbeddedFailure, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { createDifyStreamReader } from './stream.ts'
import { type AppKind, readOutputText, readRunUsage, toAppKind, toDifyBody, uploadToDify } from './to-body.ts'

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
export function readDifyError(json: unknown): Failure {
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
