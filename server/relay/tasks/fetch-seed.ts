import { GatewayError } from '../../core/errors.ts'
import { newRequestId } from '../../core/ids.ts'
import type { RelayContext } from '../relay-context.ts'
import { AttemptsFailed } from '../routing/attempts.ts'
import type { Caller } from '../types.ts'
import { askVendor } from './ask-vendor.ts'
import { findOwnTask } from './read-tasks.ts'
import { withKeyOf } from './task-key.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { TaskRoute } from './task-routes.ts'

const TIMEOUT_MS = 30_000

/** Asks the vendor that drew a picture for its seed; the vendor's own answer is the client's. It costs nothing. */
export async function fetchSeed(found: TaskRoute, caller: Caller, gateway: RelayContext): Promise<Response> {
  const row = await findOwnTask(found, caller, gateway)
  const channel = gateway.channels.current().byId(row.channel_id)
  if (!channel) throw new TaskRefusal(found.platform.originRefusals.noChannel)
  const exchange = channel.provider.task?.imageSeed
  if (!exchange) throw new GatewayError('api_not_implemented', 'the vendor of this task tells no seed')
  const asked = await askVendor(
    {
      exchange,
      channel: withKeyOf(row, channel, gateway),
      body: row.task_id,
      model: '',
      requestId: newRequestId(),
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    gateway,
  )
  if (asked.kind === 'failure') throw new AttemptsFailed(asked.failure, { candidates: [], attempts: [] })
  return Response.json(asked.reply)
}
