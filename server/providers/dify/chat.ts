import type { ChatReply } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { readDifyError, readDifyFailure } from './failure.ts'
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
