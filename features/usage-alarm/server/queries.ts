import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { analyticsSource } from '#server/db/usage/analytics-source.ts'

export interface SpendingUser {
  readonly id: number
  readonly username: string
  /** Units. */
  readonly amount: number
}

interface SpenderQuery extends TimeRange {
  /** Of those who spent so much, the largest. */
  readonly amountMin: number
  readonly limit: number
}

const COUNTED = ['user_id', 'quota'] as const

/** Who spent most in a range of whole minutes of the last two days. */
export async function listSpenders(
  db: Database,
  { amountMin, limit, ...range }: SpenderQuery,
): Promise<SpendingUser[]> {
  const source = analyticsSource({ range, grain: 'minute', filter: {}, dimensions: ['user'] }, COUNTED)
  const { rows } = await sql<SpendingUser>`select users.id, users.username, sum(totals.quota) as amount
    from ${source} join users on users.id = totals.user_id group by users.id, users.username
    having sum(totals.quota) >= ${amountMin} order by 3 desc, 1 limit ${limit}`.execute(db)
  return rows.map(row => ({ ...row, id: Number(row.id), amount: Number(row.amount) }))
}

/** What users spent in a range of whole hours; those who spent nothing are absent. */
export async function sumSpent(
  db: Database,
  userIds: readonly number[],
  range: TimeRange,
): Promise<ReadonlyMap<number, number>> {
  const query = { range, grain: 'hour', filter: { user: userIds }, dimensions: ['user'] } as const
  const { rows } = await sql<Pick<SpendingUser, 'id' | 'amount'>>`select user_id as id, sum(quota) as amount
    from ${analyticsSource(query, COUNTED)} group by user_id`.execute(db)
  return new Map(rows.map(({ id, amount }) => [Number(id), Number(amount)]))
}
