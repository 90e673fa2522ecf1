import type { Selectable, SelectQueryBuilder } from 'kysely'
import type { Database } from './database.ts'
import type { Tables, TaskTable } from './tables.ts'

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

interface Slice {
  readonly offset: number
  readonly limit: number
}

/** Newest first. */
export const listTasks = (db: Database, filter: TaskFilter, { offset, limit }: Slice): Promise<TaskRow[]> =>
  matching(db.selectFrom('tasks').selectAll(), filter)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countTasks(db: Database, filter: TaskFilter): Promise<number> {
  const counted = db.selectFrom('tasks').select(select => select.fn.countAll<number>().as('count'))
  const { count } = await matching(counted, filter).executeTakeFirstOrThrow()
  return Number(count)
}

type Tasks<Output> = SelectQueryBuilder<Tables, 'tasks', Output>

const matching = <Output>(tasks: Tasks<Output>, filter: TaskFilter): Tasks<Output> =>
  tasks
    .where('platform', 'in', filter.platforms)
    .$if(filter.userId !== undefined, query => query.where('user_id', '=', filter.userId ?? 0))
    .$if(filter.channelId !== 0, query => query.where('channel_id', '=', filter.channelId))
    .$if(filter.taskId !== '', query => query.where('task_id', '=', filter.taskId))
    .$if(filter.status !== '', query => query.where('status', '=', filter.status))
    .$if(filter.action !== '', query => query.where('action', '=', filter.action))
    .$if(filter.fromMs !== 0, query => query.where('submit_time_ms', '>=', filter.fromMs))
    .$if(filter.untilMs !== 0, query => query.where('submit_time_ms', '<=', filter.untilMs))
