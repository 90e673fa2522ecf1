import type { Database } from './database.ts'

/** What there is and what went, in units. */
export interface Balance {
  /** Open holds included. */
  readonly remain: number
  readonly used: number
  readonly isUnlimited: boolean
  /** Unix seconds; 0 never. */
  readonly expiresAt: number
}

export async function findUserBalance(db: Database, userId: number): Promise<Balance | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return row && { remain: row.quota + row.held_quota, used: row.used_quota, isUnlimited: false, expiresAt: 0 }
}

export async function findTokenBalance(db: Database, tokenId: number): Promise<Balance | undefined> {
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
