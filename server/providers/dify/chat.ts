import type { ChatReply } from '../../provider-kit/chat.ts'
import type { Call, Replied } from '../../provider-kit/exchange.ts'
import { isObject, objectOf, textOf } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/usage.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
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

export const chat: ChatExchange = {
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
function readReply(json: unknown, { model }: Pick<Call<unknown>, 'model'>): Replied<ChatReply> {
  const read = appKindOf(model) === 'workflow' ? readRun(json) : readMessage(json)
  if (read === undefined)
    return {
      kind: 'failure',
      failure: objectOf(json).code ? readDifyError(json) : readHiddenFailure(json),
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
  const { answer, message_id, metadata } = objectOf(json)
  if (typeof answer !== 'string') return undefined
  return { id: textOf(message_id), text: answer, usage: objectOf(metadata).usage }
}

function readRun(json: unknown): WholeAnswer | undefined {
  const { data, workflow_run_id } = objectOf(json)
  if (!isObject(data) || data.status !== 'succeeded') return undefined
  return { id: textOf(workflow_run_id), text: outputTextOf(data), usage: runUsageOf(data) }
}
