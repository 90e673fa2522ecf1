import type { UserRow } from '../accounts/users.ts'
import { bulkStatement, singleStatement } from '../engine/bulk.ts'
import type { Connection, Database } from '../engine/database.ts'

/** By how much each balance of a user moves, in units; `requests` is a count. */
export interface UserBalanceDelta {
  readonly userId: number
  readonly quota: number
  readonly held: number
  readonly used: number
  readonly requests: number
}

export interface TokenBalanceDelta {
  readonly tokenId: number
  readonly remain: number
  readonly used: number
  /** Unix seconds of an answer that it paid for; 0 when it paid for none. */
  readonly usedAt: number
}

export interface ChannelBalanceDelta {
  readonly channelId: number
  readonly used: number
}

/** An amount asked of one wallet or token. */
export interface BalanceHold {
  readonly id: number
  readonly amount: number
}

/** Moves balances unconditionally. Only for what is owed anyway: a wallet may go below zero. */
export const updateUserBalances = bulkStatement<UserBalanceDelta>({
  text: rows => `update users set quota = quota + move.column1, held_quota = held_quota + move.column2,
    used_quota = used_quota + move.column3, request_count = request_count + move.column4
    from (values ${rows}) as move where users.id = move.column5`,
  singleRowText: `update users set quota = quota + $1, held_quota = held_quota + $2, used_quota = used_quota + $3,
    request_count = request_count + $4 where id = cast($5 as bigint)`,
  addCells: (move, cells) => void cells.push(move.quota, move.held, move.used, move.requests, move.userId),
  cellType: 'bigint',
})

export const updateTokenBalances = bulkStatement<TokenBalanceDelta>({
  text: rows => `update tokens set remain_quota = remain_quota + move.column1, used_quota = used_quota + move.column2,
    accessed_time = case when move.column3 > accessed_time then move.column3 else accessed_time end
    from (values ${rows}) as move where tokens.id = move.column4`,
  singleRowText: `update tokens set remain_quota = remain_quota + $1, used_quota = used_quota + $2,
    accessed_time = case when $3 > accessed_time then $3 else accessed_time end where id = cast($4 as bigint)`,
  addCells: (move, cells) => void cells.push(move.remain, move.used, move.usedAt, move.tokenId),
  cellType: 'bigint',
})

export const updateChannelBalances = bulkStatement<ChannelBalanceDelta>({
  text: rows => `update channels set used_quota = used_quota + move.column1
    from (values ${rows}) as move where channels.id = move.column2`,
  singleRowText: 'update channels set used_quota = used_quota + $1 where id = cast($2 as bigint)',
  addCells: (move, cells) => void cells.push(move.used, move.channelId),
  cellType: 'bigint',
})

/** Moves free balance into the held one wherever it suffices; gives the ids of those wallets. Each id at most once. */
export const holdFromWallets = bulkStatement<BalanceHold, { id: number }>({
  text: rows => `update users set quota = quota - demand.column1, held_quota = held_quota + demand.column1
    from (values ${rows}) as demand
    where users.id = demand.column2 and users.quota >= demand.column1 returning users.id`,
  singleRowText: `update users set quota = quota - $1, held_quota = held_quota + $1
    where id = cast($2 as bigint) and quota >= cast($1 as bigint) returning id`,
  addCells: (demand, cells) => void cells.push(demand.amount, demand.id),
  cellType: 'bigint',
})

/** Takes from what tokens may still spend wherever it suffices; gives the ids of those tokens. Each id at most once. */
export const holdFromTokens = bulkStatement<BalanceHold, { id: number }>({
  text: rows => `update tokens set remain_quota = remain_quota - demand.column1
    from (values ${rows}) as demand
    where tokens.id = demand.column2 and tokens.remain_quota >= demand.column1 returning tokens.id`,
  singleRowText: `update tokens set remain_quota = remain_quota - $1
    where id = cast($2 as bigint) and remain_quota >= cast($1 as bigint) returning id`,
  addCells: (demand, cells) => void cells.push(demand.amount, demand.id),
  cellType: 'bigint',
})

/**
 * PostgreSQL only: locks rows in the order of their ids, so that two processes never wait for each other in a circle.
 * Tokens need no lock of their own: they are touched only under the lock of their user.
 */
export const lockUsers = lockRows('users')
export const lockChannels = lockRows('channels')

function lockRows(table: 'users' | 'channels') {
  return bulkStatement<number, { id: number }>({
    text: rows => `select id from ${table} where id in (values ${rows}) order by id for update`,
    addCells: (id, cells) => void cells.push(id),
    cellType: 'bigint',
  })
}

/** What is free in a wallet; 0 when the user does not exist. */
export const findFreeQuota = async (session: Connection, userId: number): Promise<number> =>
  (await selectFreeQuota(session, userId))[0]?.quota ?? 0

const selectFreeQuota = singleStatement<{ quota: number }>(
  'select quota from users where id = cast($1 as bigint)',
)

/** What a token may still spend; 0 when it does not exist. */
export const findTokenRemain = async (session: Connection, tokenId: number): Promise<number> =>
  (await selectTokenRemain(session, tokenId))[0]?.remain_quota ?? 0

const selectTokenRemain = singleStatement<{ remain_quota: number }>(
  'select remain_quota from tokens where id = cast($1 as bigint)',
)

/** Moves a wallet by a signed amount. False when it has less than what is taken, or the user does not exist. */
export async function addToWallet(db: Database, userId: number, amount: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set(row => ({ quota: row('quota', '+', amount) }))
    .where('id', '=', userId)
    .$if(amount < 0, query => query.where('quota', '>=', -amount))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Moves invitation earnings by a signed amount; what comes in also counts as earned. False when there is less. */
export async function addToInvitationEarnings(
  db: Database,
  userId: number,
  amount: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set(row => ({
      aff_quota: row('aff_quota', '+', amount),
      aff_history_quota: row('aff_history_quota', '+', Math.max(amount, 0)),
    }))
    .where('id', '=', userId)
    .$if(amount < 0, query => query.where('aff_quota', '>=', -amount))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Sets what a token may still spend by what it was, and gives both; the row stays locked until the transaction ends. */
export async function updateTokenRemain(
  db: Database,
  tokenId: number,
  remainOf: (before: number) => number,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  const before = await db
    .updateTable('tokens')
    .set(row => ({ remain_quota: row.ref('remain_quota') }))
    .where('id', '=', tokenId)
    .returning('remain_quota')
    .executeTakeFirst()
  if (!before) return undefined
  const after = remainOf(before.remain_quota)
  await db.updateTable('tokens').set({ remain_quota: after }).where('id', '=', tokenId).execute()
  return { before: before.remain_quota, after }
}

/** What there is and what went, in units. */
export interface QuotaBalance {
  /** Open holds included. */
  readonly remain: number
  readonly used: number
  readonly isUnlimited: boolean
  /** Unix seconds; 0 never. */
  readonly expiresAt: number
}

export async function findUserBalance(db: Database, userId: number): Promise<QuotaBalance | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return row && { remain: row.quota + row.held_quota, used: row.used_quota, isUnlimited: false, expiresAt: 0 }
}

export async function findTokenBalance(db: Database, tokenId: number): Promise<QuotaBalance | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota', 'unlimited_quota', 'expired_time'])
    .where('id', '=', tokenId)
    .executeTakeFirst()
  return (
    row && {
      remain: row.remain_quota,
      used: row.used_quota,
      isUnlimited: row.unlimited_quota === 1,
      expiresAt: Math.max(row.expired_time, 0),
    }
  )
}

export interface BalanceWarningRow extends Pick<UserRow, 'id' | 'email' | 'setting' | 'warned_at'> {
  /** What is there and not yet spent, reserved amounts included. */
  readonly balance: number
}

/** Those of the users that may be warned: enabled, and not warned since `cutoff`. */
export function listUsersToWarn(
  db: Database,
  userIds: readonly number[],
  cutoff: number,
): Promise<BalanceWarningRow[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'setting', 'warned_at'])
    .select(row => row('quota', '+', row.ref('held_quota')).as('balance'))
    .where('id', 'in', userIds)
    .where('status', '=', 1)
    .where('deleted_at', 'is', null)
    .where('warned_at', '<=', cutoff)
    .execute()
}

/** Moves the time of the last warning on. False when another process was faster. */
export async function updateWarnedAt(
  db: Database,
  userId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ warned_at: to })
    .where('id', '=', userId)
    .where('warned_at', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
