import type { Insertable, Selectable, SelectQueryBuilder } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { Tables, TaskTable } from '../engine/tables.ts'

export type NewTask = Omit<Insertable<TaskTable>, 'id'>

/** What a vendor tells of a task as it goes on. */
export type TaskUpdate = Pick<
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

interface TaskOwner {
  readonly userId: number
  readonly platform: string
}

/** Gives the row as it stands in the table. */
export const insertTask = (tx: Database, task: NewTask): Promise<TaskRow> =>
  tx.insertInto('tasks').values(storable(task)).returningAll().executeTakeFirstOrThrow()

/** A user's own tasks with these ids of the vendor, newest first: an id may stand in several rows. */
export const listOwnTasks = (
  db: Database,
  { userId, platform }: TaskOwner,
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

export const findTaskByRequest = (db: Database, requestId: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('request_id', '=', requestId).executeTakeFirst()

/** The newest task with this id of the vendor, whoever's it is. */
export const findTaskByVendorId = (
  db: Database,
  platform: string,
  taskId: string,
): Promise<TaskRow | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('platform', '=', platform)
    .where('task_id', '=', taskId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

interface TaskClaim {
  readonly nowMs: number
  /** Nobody else gets them before. Whoever holds them says by then when they are due next, or dies. */
  readonly untilMs: number
  readonly limit: number
}

/**
 * Takes tasks that are due, those first that have waited longest; two processes never get the same. The outer
 * condition counts where another process has just taken a row that this one waited for.
 */
export const claimDueTasks = (db: Database, { nowMs, untilMs, limit }: TaskClaim): Promise<TaskRow[]> =>
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
export async function updateTask(db: Database, id: number, change: Partial<TaskUpdate>): Promise<void> {
  await db
    .updateTable('tasks')
    .set(storable(change))
    .where('id', '=', id)
    .where('outcome', '=', 'open')
    .execute()
}

/** Decides an open task. False when it was decided before: the row decides, once. */
export async function setTaskOutcome(
  db: Database,
  id: number,
  change: TaskUpdate & Pick<TaskRow, 'outcome' | 'quota'>,
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
export async function closeTask(db: Database, id: number): Promise<void> {
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

export type TaskRow = Selectable<TaskTable>

/** Which tasks are meant. Empty texts and zeros mean any. */
export interface TaskFilter {
  readonly platforms: readonly string[]
  /** Of this user only. */
  readonly userId?: number
  readonly channelId: number
  readonly taskId: string
  readonly status: string
  readonly action: string
  /** Submitted from then on. */
  readonly fromMs: number
  /** Submitted until then, that moment included; 0 for no end. */
  readonly untilMs: number
}

interface TaskPage {
  readonly offset: number
  readonly limit: number
}

/** Newest first. */
export const listTasks = (
  db: Database,
  filter: TaskFilter,
  { offset, limit }: TaskPage,
): Promise<TaskRow[]> =>
  matchingTasks(db.selectFrom('tasks').selectAll(), filter)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countTasks(db: Database, filter: TaskFilter): Promise<number> {
  const counted = db.selectFrom('tasks').select(select => select.fn.countAll<number>().as('count'))
  const { count } = await matchingTasks(counted, filter).executeTakeFirstOrThrow()
  return Number(count)
}

type TaskQuery<Output> = SelectQueryBuilder<Tables, 'tasks', Output>

const matchingTasks = <Output>(tasks: TaskQuery<Output>, filter: TaskFilter): TaskQuery<Output> =>
  tasks
    .where('platform', 'in', filter.platforms)
    .$if(filter.userId !== undefined, query => query.where('user_id', '=', filter.userId ?? 0))
    .$if(filter.channelId !== 0, query => query.where('channel_id', '=', filter.channelId))
    .$if(filter.taskId !== '', query => query.where('task_id', '=', filter.taskId))
    .$if(filter.status !== '', query => query.where('status', '=', filter.status))
    .$if(filter.action !== '', query => query.where('action', '=', filter.action))
    .$if(filter.fromMs !== 0, query => query.where('submit_time_ms', '>=', filter.fromMs))
    .$if(filter.untilMs !== 0, query => query.where('submit_time_ms', '<=', filter.untilMs))
