import { timingSafeEqual } from 'node:crypto'
import { TASK_NOTICE_PURPOSE } from '#server/core/crypto.ts'
import { MIB } from '#server/core/limits.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import type { PublicCall } from '#server/relay/operation.ts'
import { recordState } from '#server/relay/tasks/follow-tasks.ts'
import { type TaskDeps, TaskError, type TaskPlatform } from '#server/relay/tasks/platform.ts'
import { findTaskChannel } from '#server/relay/tasks/task-channel.ts'
import { findTaskByRequest } from './queries.ts'

const NOTIFICATION_BYTES_MAX = MIB

/** Records a state that a provider reports by itself. The URL must be the signed one of the task in the notification. */
export async function receiveNotification(
  { params: { id: requestId = '', signature = '' }, connection }: PublicCall,
  deps: TaskDeps,
  platform: TaskPlatform,
): Promise<Response> {
  if (!isSignatureValid(requestId, signature, deps))
    throw new TaskError('notice_not_signed', {
      zh: 'URL 中的签名无效',
      en: 'the signature in the URL is not valid',
    })
  const row = await findTaskByRequest(deps.db, requestId)
  if (!row) throw new TaskError(platform.unknownTaskCode)
  const channel = await findTaskChannel(row.channel_id, deps)
  let text = ''
  await connection.readText({ bytesMax: NOTIFICATION_BYTES_MAX, sender: 'providers' }, piece => {
    text += piece
  })
  const state = channel?.provider.task?.readNotification?.(parseJson(text))
  if (state?.taskId !== row.task_id)
    throw new TaskError('invalid_request', {
      zh: '通知与 URL 所属的任务不一致',
      en: 'the notification is for a different task than this URL',
    })
  await recordState(row, state, deps)
  return new Response(null)
}

function isSignatureValid(
  requestId: string,
  signature: string,
  { secrets }: Pick<TaskDeps, 'secrets'>,
): boolean {
  const expected = Buffer.from(secrets.hash(TASK_NOTICE_PURPOSE, requestId))
  const received = Buffer.from(signature)
  return expected.length === received.length && timingSafeEqual(expected, received)
}
