import type { ChatReply } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, AdapterResult } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { type AppKind, appKindOf } from './app-kind.ts'
import { readDifyError, readDifyFailure } from './failure.ts'
import { outputTextOf, runUsageOf } from './run.ts'
import { openDifyStream } from './stream.ts'
import { toDifyBody } from './to-body.ts'
import { uploadToDify } from './upload.ts'

const PATH_OF: Readonly<Record<AppKind, string>> = {
  chat: '/v1/chat-messages',
  completion: '/v1/completion-messages',
  workflow: '/v1/workflows/run',
}

export const chat: ChatAdapter = {
  framing: 'sse',
  prepare: uploadToDify,
  request: call => ({
    url: call.channel.baseUrl + PATH_OF[appKindOf(call.model)],
    headers: bearerHeaders(call),
    body: JSON.stringify(toDifyBody(call)),
  }),
  reply: readReply,
  stream: openDifyStream,
  failure: readDifyFailure,
}

/** For servers that answer whole although a stream was asked for. */
function readReply(json: unknown, { model }: Pick<AdapterCall<unknown>, 'model'>): AdapterResult<ChatReply> {
  const read = appKindOf(model) === 'workflow' ? readRun(json) : readMessage(json)
  if (read === undefined)
    return {
      kind: 'failure',
      failure: asObject(json).code ? readDifyError(json) : readEmbeddedFailure(json),
    }
  const { id, text, usage } = read
  return { kind: 'reply', reply: { id, choices: [{ text, finish: 'stop' }] }, usage: readOpenaiUsage(usage) }
}

interface WholeAnswer {
  readonly id: string | undefined
  readonly text: string
  readonly usage: unknown
}

function readMessage(json: unknown): WholeAnswer | undefined {
  const { answer, message_id, metadata } = asObject(json)
  if (typeof answer !== 'string') return undefined
  return { id: asString(message_id), text: answer, usage: asObject(metadata).usage }
}

function readRun(json: unknown): WholeAnswer | undefined {
  const { data, workflow_run_id } = asObject(json)
  if (!isObject(data) || data.status !== 'succeeded') return undefined
  return { id: asString(workflow_run_id), text: outputTextOf(data), usage: runUsageOf(data) }
}
