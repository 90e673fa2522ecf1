import type { Insertable, Selectable, SelectQueryBuilder } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { Tables, TaskTable } from '../engine/tables.ts'
import { withoutNul } from '../engine/text.ts'

export type TaskRow = Selectable<TaskTable>
export type NewTask = Omit<Insertable<TaskTable>, 'id'>

/** The progress of a task as the provider reports it. */
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

/** Returns the stored row. */
export const insertTask = (tx: Database, task: NewTask): Promise<TaskRow> =>
  tx.insertInto('tasks').values(storable(task)).returningAll().executeTakeFirstOrThrow()

/** A user's own tasks with these provider ids, newest first. Several tasks may share an id. */
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
    .where('task_id', 'in', taskIds.map(withoutNul))
    .orderBy('id', 'desc')
    .execute()

interface TaskClaim {
  readonly nowMs: number
  /** The end of the lease: until then no other process gets the tasks, and the holder reschedules or closes them. */
  readonly untilMs: number
  readonly limit: number
}

/**
 * Claims due tasks, those that have waited longest first. Two processes never claim the same task: the outer condition is
 * evaluated again on a row that another process has just claimed while this one waited for its lock.
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

/** When the next task becomes due; infinity without open tasks. */
export async function findNextDueMs(db: Database): Promise<number> {
  const row = await db
    .selectFrom('tasks')
    .select('due_ms')
    .where('due_ms', 'is not', null)
    .orderBy('due_ms')
    .limit(1)
    .executeTakeFirst()
  return row?.due_ms ?? Number.POSITIVE_INFINITY
}

/** Stores the progress of an open task; a task with an outcome is not changed. */
export async function updateTask(db: Database, id: number, update: Partial<TaskUpdate>): Promise<void> {
  await db
    .updateTable('tasks')
    .set(storable(update))
    .where('id', '=', id)
    .where('outcome', '=', 'open')
    .execute()
}

/** Sets the outcome of an open task. Returns false when it has one already: only one call succeeds. */
export async function setTaskOutcome(
  db: Database,
  id: number,
  update: TaskUpdate & Pick<TaskRow, 'outcome' | 'quota'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set(storable(update))
    .where('id', '=', id)
    .where('outcome', '=', 'open')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Ends the polling of a task whose outcome is set and whose money is settled. */
export async function closeTask(db: Database, id: number): Promise<void> {
  await db.updateTable('tasks').set({ due_ms: null }).where('id', '=', id).execute()
}

/** Removes NUL from every text column; the row keeps its shape. */
const storable = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? withoutNul(value) : value]),
  ) as Row

/** Selects tasks. Empty strings and zeros match all. */
export interface TaskFilter {
  readonly platforms: readonly string[]
  /** Only tasks of this user. */
  readonly userId?: number
  readonly channelId: number
  readonly taskId: string
  readonly status: string
  readonly action: string
  /** The earliest time of submission. */
  readonly fromMs: number
  /** The latest time of submission, inclusive; 0 for no end. */
  readonly untilMs: number
}

interface TaskPage {
  readonly offset: number
  readonly limit: number
}

/** Lists tasks, newest first. */
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
