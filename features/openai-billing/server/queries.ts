import type { QuotaBalance } from '#server/db/billing/balances.ts'
import type { Database } from '#server/db/engine/database.ts'

export async function findUserBalance(db: Database, userId: number): Promise<QuotaBalance | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return row && { remain: row.quota + row.held_quota, used: row.used_quota, isUnlimited: false, expiresAt: 0 }
}
