import { GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { AttemptsFailed } from '#server/relay/routing/attempts.ts'
import { callProvider } from '#server/relay/tasks/call-provider.ts'
import { type TaskDeps, TaskError, type TaskPlatform } from '#server/relay/tasks/platform.ts'
import { withSubmittingKey } from '#server/relay/tasks/task-bill.ts'
import { findTaskChannel } from '#server/relay/tasks/task-channel.ts'
import { getOwnTask } from '#server/relay/tasks/task-responses.ts'
import type { RelayCall } from '#server/relay/types.ts'

const SEED_TIMEOUT_MS = 30000

/** Responds with the provider's own response. It is free. */
export async function respondWithImageSeed(
  call: RelayCall,
  deps: TaskDeps,
  platform: TaskPlatform,
): Promise<Response> {
  const row = await getOwnTask(call, deps, platform)
  const channel = await findTaskChannel(row.channel_id, deps)
  if (!channel) throw new TaskError(platform.originErrorCodes.noChannel)
  const adapter = channel.provider.task?.imageSeed
  if (!adapter)
    throw new GatewayError('api_not_implemented', {
      zh: '该任务的供应商不支持查询图片种子',
      en: 'the provider of this task does not support image seeds',
    })
  const result = await callProvider(
    {
      adapter,
      channel: withSubmittingKey(row, channel, deps),
      body: row.task_id,
      model: '',
      requestId: newRequestId(),
      timeoutMs: SEED_TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    deps,
  )
  if (result.kind === 'failure') throw new AttemptsFailed(result.failure, { candidates: [], attempts: [] })
  return Response.json(result.reply)
}
