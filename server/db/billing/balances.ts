import { bulkStatement, singleStatement } from '../engine/bulk.ts'
import type { Connection, Database } from '../engine/database.ts'

/** Signed amounts in units to add to a user's balances; `requests` is a count. */
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
  /** Unix seconds of a response that the token paid for; 0 when it paid for none. */
  readonly usedAt: number
}

export interface ChannelBalanceDelta {
  readonly channelId: number
  readonly used: number
}

/** An amount to reserve on one wallet or token. */
export interface BalanceHold {
  readonly id: number
  readonly amount: number
  /** The required balance of wallet or token: the amount, or less when the balance may drop below zero. */
  readonly minimum: number
}

/** The remaining balance of a wallet or token after a reservation. */
interface HeldBalance {
  readonly id: number
  readonly remaining: number
}

/** Adds to balances without a condition. Only for amounts that are owed in any case: a wallet may drop below zero. */
export const updateUserBalances = bulkStatement<UserBalanceDelta>({
  text: rows => `update users set quota = quota + delta.column1, held_quota = held_quota + delta.column2,
    used_quota = used_quota + delta.column3, request_count = request_count + delta.column4
    from (values ${rows}) as delta where users.id = delta.column5`,
  singleRowText: `update users set quota = quota + $1, held_quota = held_quota + $2, used_quota = used_quota + $3,
    request_count = request_count + $4 where id = cast($5 as bigint)`,
  addCells: (delta, cells) => cells.push(delta.quota, delta.held, delta.used, delta.requests, delta.userId),
  cellType: 'bigint',
})

export const updateTokenBalances = bulkStatement<TokenBalanceDelta>({
  text: rows => `update tokens set remain_quota = remain_quota + delta.column1, used_quota = used_quota + delta.column2,
    accessed_time = case when delta.column3 > accessed_time then delta.column3 else accessed_time end
    from (values ${rows}) as delta where tokens.id = delta.column4`,
  singleRowText: `update tokens set remain_quota = remain_quota + $1, used_quota = used_quota + $2,
    accessed_time = case when $3 > accessed_time then $3 else accessed_time end where id = cast($4 as bigint)`,
  addCells: (delta, cells) => cells.push(delta.remain, delta.used, delta.usedAt, delta.tokenId),
  cellType: 'bigint',
})

export const updateChannelBalances = bulkStatement<ChannelBalanceDelta>({
  text: rows => `update channels set used_quota = used_quota + delta.column1
    from (values ${rows}) as delta where channels.id = delta.column2`,
  singleRowText: 'update channels set used_quota = used_quota + $1 where id = cast($2 as bigint)',
  addCells: (delta, cells) => cells.push(delta.used, delta.channelId),
  cellType: 'bigint',
})

/**
 * Moves free balance into the held one of each wallet that has the minimum; returns those with the balance that is left.
 * Each id at most once.
 */
export const holdFromWallets = bulkStatement<BalanceHold, HeldBalance>({
  text: rows => `update users set quota = quota - demand.column1, held_quota = held_quota + demand.column1
    from (values ${rows}) as demand
    where users.id = demand.column2 and users.quota >= demand.column3 returning users.id, users.quota as remaining`,
  singleRowText: `update users set quota = quota - $1, held_quota = held_quota + $1
    where id = cast($2 as bigint) and quota >= cast($3 as bigint) returning id, quota as remaining`,
  addCells: (hold, cells) => cells.push(hold.amount, hold.id, hold.minimum),
  cellType: 'bigint',
})

/** Takes from the limit of each token that has the minimum left; returns these tokens with their remaining limits. Each id at most once. */
export const holdFromTokens = bulkStatement<BalanceHold, HeldBalance>({
  text: rows => `update tokens set remain_quota = remain_quota - demand.column1
    from (values ${rows}) as demand
    where tokens.id = demand.column2 and tokens.remain_quota >= demand.column3
    returning tokens.id, tokens.remain_quota as remaining`,
  singleRowText: `update tokens set remain_quota = remain_quota - $1
    where id = cast($2 as bigint) and remain_quota >= cast($3 as bigint) returning id, remain_quota as remaining`,
  addCells: (hold, cells) => cells.push(hold.amount, hold.id, hold.minimum),
  cellType: 'bigint',
})

/**
 * Locks rows in the order of their ids, so that two processes never wait for each other in a circle. PostgreSQL only.
 * Tokens need no lock: they change only under the lock of their user.
 */
export const lockUsers = lockRows('users')

export const lockChannels = lockRows('channels')

function lockRows(table: 'users' | 'channels') {
  return bulkStatement<number, { id: number }>({
    text: rows => `select id from ${table} where id in (values ${rows}) order by id for update`,
    addCells: (id, cells) => cells.push(id),
    cellType: 'bigint',
  })
}

/** The free balance of a wallet; 0 when the user does not exist. */
export async function findFreeQuota(connection: Connection, userId: number): Promise<number> {
  const [row] = await selectFreeQuota(connection, userId)
  return row?.quota ?? 0
}

const selectFreeQuota = singleStatement<{ quota: number }>(
  'select quota from users where id = cast($1 as bigint)',
)

/** The amount that a token may still spend; 0 when it does not exist. */
export async function findTokenRemain(connection: Connection, tokenId: number): Promise<number> {
  const [row] = await selectTokenRemain(connection, tokenId)
  return row?.remain_quota ?? 0
}

const selectTokenRemain = singleStatement<{ remain_quota: number }>(
  'select remain_quota from tokens where id = cast($1 as bigint)',
)

/** The free balances that pay for a request. The token's is infinite without a token. */
export async function findPayerBalances(
  db: Database,
  userId: number,
  tokenId: number | null,
): Promise<{ readonly wallet: number; readonly token: number }> {
  const user = await db.selectFrom('users').select('quota').where('id', '=', userId).executeTakeFirst()
  const token =
    tokenId !== null &&
    (await db.selectFrom('tokens').select('remain_quota').where('id', '=', tokenId).executeTakeFirst())
  return { wallet: user?.quota ?? 0, token: token ? token.remain_quota : Number.POSITIVE_INFINITY }
}

/**
 * Adds a signed amount to a wallet. Returns false when the wallet has less than is taken, would exceed `balanceMax`, or does
 * not exist.
 */
export async function addToWallet(
  db: Database,
  userId: number,
  { amount, balanceMax }: { readonly amount: number; readonly balanceMax: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set(row => ({ quota: row('quota', '+', amount) }))
    .where('id', '=', userId)
    .$if(amount < 0, query => query.where('quota', '>=', -amount))
    .$if(amount > 0, query => query.where('quota', '<=', balanceMax - amount))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Adds a signed amount to invitation earnings; a positive one also counts as earned. Returns false when there is less. */
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

/**
 * Sets the remaining limit of a token to `newRemain` of the current one. Returns both, or undefined when the token does
 * not exist. The row stays locked until the transaction ends.
 */
export async function updateTokenRemain(
  tx: Database,
  tokenId: number,
  newRemain: (before: number) => number,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  // The update that changes nothing takes the lock on both engines; SQLite has no `for update`.
  const row = await tx
    .updateTable('tokens')
    .set(token => ({ remain_quota: token.ref('remain_quota') }))
    .where('id', '=', tokenId)
    .returning('remain_quota')
    .executeTakeFirst()
  if (!row) return undefined
  const after = newRemain(row.remain_quota)
  await tx.updateTable('tokens').set({ remain_quota: after }).where('id', '=', tokenId).execute()
  return { before: row.remain_quota, after }
}

/** Remaining and used quota of a user or a token, in units. */
export interface QuotaBalance {
  /** Open holds of the user included. */
  readonly remain: number
  readonly used: number
  readonly isUnlimited: boolean
  /** Unix seconds; 0 never. */
  readonly expiresAt: number
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
