import { listOwnTasks, type TaskRow } from '../../db/system/tasks.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray } from '../../provider-kit/json.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Caller } from '../types.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { TaskRoute } from './task-routes.ts'

const IDS_MAX = 500

/** One of the caller's own tasks. Throws TaskRefusal when there is none. */
export async function findOwnTask(
  { id, platform }: TaskRoute,
  { userId }: Caller,
  { db }: RelayContext,
): Promise<TaskRow> {
  const [row] = await withStorageTimeout(listOwnTasks(db, { userId, platform: platform.name }, [id]))
  if (!row) throw new TaskRefusal(platform.unknownTask)
  return row
}

export async function fetchTask(found: TaskRoute, caller: Caller, gateway: RelayContext): Promise<Response> {
  const row = await findOwnTask(found, caller, gateway)
  const { tasks } = gateway.settings.current()
  return Response.json(found.platform.wrap(found.platform.writeTask(row, tasks)))
}

/** Those of the named tasks that are the caller's own, newest first; what is not there is left out. */
export async function listTasks(
  { platform }: TaskRoute,
  json: JsonObject,
  { userId }: Caller,
  gateway: RelayContext,
): Promise<Response> {
  const ids = asArray(json.ids).map(String)
  if (ids.length > IDS_MAX)
    throw new TaskRefusal('invalid_request', `${ids.length} ids were sent, at most ${IDS_MAX} are answered`)
  const rows =
    ids.length === 0
      ? []
      : await withStorageTimeout(listOwnTasks(gateway.db, { userId, platform: platform.name }, ids))
  const { tasks } = gateway.settings.current()
  return Response.json(platform.wrap(newestOfEach(rows).map(row => platform.writeTask(row, tasks))))
}

/** A window and what was done in it share an id. */
const newestOfEach = (rows: readonly TaskRow[]): readonly TaskRow[] =>
  rows.filter((row, index) => rows.findIndex(other => other.task_id === row.task_id) === index)
