import { MIB } from '../../core/limits.ts'
import { findTaskByRequest } from '../../db/system/tasks.ts'
import { parseJson } from '../../provider-kit/json.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { isNoticeSigned } from './notice-address.ts'
import { recordState } from './record-state.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { TaskRoute } from './task-routes.ts'

const NOTICE_BYTES_MAX = MIB

/** Notes what a vendor tells by itself. Only the address that was signed for the task is heard, and only of that task. */
export async function receiveNotice(
  { id: requestId, signature, platform }: TaskRoute,
  door: ClientConnection,
  gateway: RelayContext,
): Promise<Response> {
  if (!isNoticeSigned(requestId, signature, gateway))
    throw new TaskRefusal('notice_not_signed', 'only the address that was given for a task is heard')
  const row = await findTaskByRequest(gateway.db, requestId)
  if (!row) throw new TaskRefusal(platform.unknownTask)
  const channel = gateway.channels.current().byId(row.channel_id)
  const state = channel?.provider.task?.readNotice?.(parseJson(await door.readText(NOTICE_BYTES_MAX)))
  if (state?.taskId !== row.task_id)
    throw new TaskRefusal('invalid_request', 'the notice does not tell of the task of this address')
  await recordState(row, state, gateway)
  return new Response(null)
}
