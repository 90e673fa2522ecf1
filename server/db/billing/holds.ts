import { bulkStatement, type Cell, insertInto, singleStatement } from '../engine/bulk.ts'
import type { Connection, Database } from '../engine/database.ts'

/** In the place of a process: the hold belongs to a task that is followed by all of them, whichever of them die. */
export const TASK_PROCESS_ID = 'task'

/** What the row of a hold says: the row decides, not what a caller remembers of it. */
export interface HoldRow {
  readonly request_id: string
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  readonly amount: number
}

/** Opens holds of one process in one moment, which are the cells they share, in Unix seconds. */
export const insertHolds = bulkStatement<HoldRow>({
  text: insertInto('holds', [
    'process_id',
    'opened_at',
    'request_id',
    'user_id',
    'token_id',
    'is_token_limited',
    'amount',
  ]),
  rowText: (cells, shared) => `(${[...shared, ...cells].join(', ')})`,
  addCells: (hold, cells) =>
    void cells.push(hold.request_id, hold.user_id, hold.token_id, hold.is_token_limited, hold.amount),
})

/**
 * Closes the holds of these requests and returns the rows that were open. A hold that is missing from the result was
 * closed before: the row decides, not the caller.
 */
export const closeHolds = bulkStatement<string, HoldRow>({
  text: rows => `delete from holds where request_id in (${rows})
    returning request_id, user_id, token_id, is_token_limited, amount`,
  addCells: (requestId, cells) => void cells.push(requestId),
})

/** Changes the amount of an open hold. False when it is not open. */
export const addToHoldAmount = async (session: Connection, requestId: string, by: number): Promise<boolean> =>
  (await addToHold(session, by, requestId)).length === 1

const addToHold = singleStatement<Pick<HoldRow, 'request_id'>>(
  'update holds set amount = amount + $1 where request_id = cast($2 as text) returning request_id',
)

/** How many requests of a user are under way with one token, or in the playground (`token_id` null). */
export interface OpenHoldCount {
  readonly user_id: number
  readonly token_id: number | null
  readonly open: number
}

/**
 * Counts what these users have under way, over all processes; pictures and songs that a vendor works on do not count.
 * Reads the whole table, which holds only what is under way: an index would cost every request, limited or not.
 */
export const countOpenHolds = bulkStatement<number, OpenHoldCount>({
  text: userIds => `select user_id, token_id, count(*) as open from holds
    where user_id in (values ${userIds}) and process_id <> '${TASK_PROCESS_ID}' group by user_id, token_id`,
  addCells: (userId, cells) => void cells.push(userId),
  cellType: 'bigint',
})

/** Makes a hold its task's. Call it in the transaction that stores the task. False when the hold is not open. */
export async function assignHoldToTask(tx: Database, requestId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('holds')
    .set({ process_id: TASK_PROCESS_ID })
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The processes that have open holds. */
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
    .select(['request_id', 'user_id', 'token_id', 'is_token_limited', 'amount'])
    .where('process_id', '=', processId)
    .orderBy('opened_at')
    .limit(limit)
    .execute()
}
