import { bulkInsert, bulkStatement, singleStatement } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'

/** Stands in `process_id` for a hold that belongs to a task: every process follows tasks, so no process owns the hold. */
export const TASK_PROCESS_ID = 'task'

/** A hold as stored. The row decides what is closed and for how much, not what the caller remembers. */
export interface HoldRow {
  readonly request_id: string
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  readonly amount: number
  readonly budgets: string | null
  /** The subscription that pays instead of wallet and token; null without one. */
  readonly paid_by: number | null
}

const HOLD_COLUMNS = [
  'request_id',
  'user_id',
  'token_id',
  'is_token_limited',
  'amount',
  'budgets',
  'paid_by',
] as const

/** Opens holds. `opened_at` is in Unix seconds. */
export const insertHolds = bulkInsert('holds', [...HOLD_COLUMNS, 'process_id', 'opened_at'])

/**
 * Closes the holds of these requests and returns the rows that were open. A hold that is missing from the result was
 * closed before: the row decides, not the caller.
 */
export const closeHolds = bulkStatement<string, HoldRow>({
  text: rows => `delete from holds where request_id in (${rows}) returning ${HOLD_COLUMNS.join(', ')}`,
  singleRowText: `delete from holds where request_id = cast($1 as text) returning ${HOLD_COLUMNS.join(', ')}`,
  addCells: (requestId, cells) => cells.push(requestId),
})

/** The holds of these requests that are open. */
export const findOpenHolds = bulkStatement<string, Pick<HoldRow, 'request_id'>>({
  text: rows => `select request_id from holds where request_id in (${rows})`,
  addCells: (requestId, cells) => cells.push(requestId),
  cellType: 'text',
})

/** Adds an amount to an open hold, by its request id. Returns what it has then, or nothing when it is not open. */
export const addToHoldAmount = singleStatement<Pick<HoldRow, 'amount' | 'budgets'>>(
  'update holds set amount = amount + $1 where request_id = cast($2 as text) returning amount, budgets',
)

/** The number of running requests of a user with one token, or in the playground (`token_id` null). */
export interface OpenHoldCount {
  readonly user_id: number
  readonly token_id: number | null
  readonly open: number
}

/**
 * Counts the running requests of these users over all processes. Holds of tasks, on which a provider still works, do not
 * count. Scans the whole table, which holds only what is running: an index would cost every request, limited or not.
 */
export const countOpenHolds = bulkStatement<number, OpenHoldCount>({
  text: userIds => `select user_id, token_id, count(*) as open from holds
    where user_id in (values ${userIds}) and process_id <> '${TASK_PROCESS_ID}' group by user_id, token_id`,
  addCells: (userId, cells) => cells.push(userId),
  cellType: 'bigint',
})

/** Hands a hold over to its task, in the transaction that stores the task. Returns false when the hold is not open. */
export async function assignHoldToTask(tx: Database, requestId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('holds')
    .set({ process_id: TASK_PROCESS_ID })
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The ids of the processes that have open holds. */
export async function listHoldProcessIds(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .select('process_id')
    .distinct()
    .where('process_id', '!=', TASK_PROCESS_ID)
    .execute()
  return rows.map(row => row.process_id)
}

/** Open holds of one process, oldest first. */
export function listOpenHolds(db: Database, processId: string, limit: number): Promise<HoldRow[]> {
  return db
    .selectFrom('holds')
    .select(HOLD_COLUMNS)
    .where('process_id', '=', processId)
    .orderBy('opened_at')
    .limit(limit)
    .execute()
}
