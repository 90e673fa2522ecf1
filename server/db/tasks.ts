import type { Insertable } from 'kysely'
import type { Database } from './database.ts'
import type { TaskTable } from './tables.ts'
import type { TaskRow } from './task-lists.ts'

export type NewTask = Omit<Insertable<TaskTable>, 'id'>

/** What a vendor tells of a task as it goes on. */
export type TaskChange = Pick<
  TaskRow,
  | 'status'
  | 'progress'
  | 'fail_reason'
  | 'detail'
  | 'submit_time_ms'
  | 'start_time_ms'
  | 'finish_time_ms'
  | 'updated_at_ms'
  | 'due_ms'
>

interface Owned {
  readonly userId: number
  readonly platform: string
}

/** Gives the row as it stands in the table. */
export const insertTask = (tx: Database, task: NewTask): Promise<TaskRow> =>
  tx.insertInto('tasks').values(storable(task)).returningAll().executeTakeFirstOrThrow()

/** A user's own tasks with these ids of the vendor, newest first: an id may stand in several rows. */
export const listOwnTasks = (
  db: Database,
  { userId, platform }: Owned,
  taskIds: readonly string[],
): Promise<TaskRow[]> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('platform', '=', platform)
    .where('task_id', 'in', taskIds)
    .orderBy('id', 'desc')
    .execute()

export const findTaskOfRequest = (db: Database, requestId: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('request_id', '=', requestId).executeTakeFirst()

/** The newest task with this id of the vendor, whoever's it is. */
export const findTaskOfId = (db: Database, platform: string, taskId: string): Promise<TaskRow | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('platform', '=', platform)
    .where('task_id', '=', taskId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

interface Claim {
  readonly nowMs: number
  /** Nobody else gets them before. Whoever holds them says by then when they are due next, or dies. */
  readonly untilMs: number
  readonly limit: number
}

/**
 * Takes tasks that are due, those first that have waited longest; two processes never get the same. The outer
 * condition counts where another process has just taken a row that this one waited for.
 */
export const claimDueTasks = (db: Database, { nowMs, untilMs, limit }: Claim): Promise<TaskRow[]> =>
  db
    .updateTable('tasks')
    .set({ due_ms: untilMs })
    .where('due_ms', '<=', nowMs)
    .where('id', 'in', due =>
      due.selectFrom('tasks').select('id').where('due_ms', '<=', nowMs).orderBy('due_ms').limit(limit),
    )
    .returningAll()
    .execute()

/** Notes how far an open task is. One that is decided stays as it is. */
export async function moveTask(db: Database, id: number, change: Partial<TaskChange>): Promise<void> {
  await db
    .updateTable('tasks')
    .set(storable(change))
    .where('id', '=', id)
    .where('outcome', '=', 'open')
    .execute()
}

/** Decides an open task. False when it was decided before: the row decides, once. */
export async function decideTask(
  db: Database,
  id: number,
  change: TaskChange & Pick<TaskRow, 'outcome' | 'quota'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set(storable(change))
    .where('id', '=', id)
    .where('outcome', '=', 'open')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Nobody need look at it any more: it is decided and its money settled. */
export async function finishTask(db: Database, id: number): Promise<void> {
  await db.updateTable('tasks').set({ due_ms: null }).where('id', '=', id).execute()
}

/** PostgreSQL refuses the character NUL in a text, and clients and vendors may send one. Every field stays what it was. */
const storable = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('\0', '') : value,
    ]),
  ) as Row
