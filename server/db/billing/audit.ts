import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import { TASK_PROCESS_ID } from './holds.ts'
import { IMPORT_KIND } from './postings.ts'

/** A balance that does not match its postings. */
export interface BalanceDifference {
  /** Table and column, for example `users.quota`. */
  readonly balance: string
  readonly owner: number
  readonly found: number
  readonly expected: number
}

/** The first differences of one kind, with the number of all of them and the sum of their units. */
export interface BalanceDifferences {
  readonly first: readonly BalanceDifference[]
  readonly count: number
  readonly units: number
}

/** A request whose charges and log rows do not match. */
export interface RequestDifference {
  readonly requestId: string
  readonly charges: number
  readonly logs: number
  /** Charged minus logged units. */
  readonly units: number
}

export interface LedgerCounts {
  readonly users: number
  readonly tokens: number
  readonly channels: number
  readonly postings: number
  readonly charges: number
  readonly openHolds: number
  readonly walletsBelowZero: number
}

interface DifferenceRow extends BalanceDifference {
  readonly count: number
  readonly units: number
}

/** Request ids of imported log rows begin with it. No charge of this gateway belongs to them. */
export const IMPORTED_REQUEST = 'imported-'

const DIFFERENCES_SHOWN_MAX = 100

/** The sum that came into an account minus the sum that left it, per group. */
const netFlow = (account: string) =>
  sql`sum(case when to_account = ${sql.lit(account)} then amount else 0 end)
    - sum(case when from_account = ${sql.lit(account)} then amount else 0 end)`

/** The same for postings of an import that are about a user and not about one token or channel. */
const importedByUser = (account: string) =>
  sql`sum(case when token_id is not null or channel_id is not null then 0
    when to_account = ${sql.lit(account)} then amount when from_account = ${sql.lit(account)} then -amount else 0 end)`

/** Runs `work` on a snapshot: all its reads see the same state of the database, and no writer is blocked. */
export const inSnapshot = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work)

/** Compares users' columns with their postings. Deleted user rows must leave nothing in wallet, hold or earnings. */
export function findUserDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`with moved as (
        select user_id, ${netFlow('wallet')} as quota, ${netFlow('held')} as held_quota,
          ${netFlow('invitation')} as aff_quota,
          sum(case when to_account = 'revenue' then amount else 0 end) + ${importedByUser('usage')} as used_quota,
          sum(case when to_account = 'revenue' then 1 else 0 end) + ${importedByUser('requests')} as request_count
        from postings group by user_id
      ), compared as (
        select coalesce(users.id, moved.user_id) as owner, users.id as user_id,
          users.quota, users.held_quota, users.aff_quota, users.used_quota, users.request_count,
          coalesce(moved.quota, 0) as e_quota, coalesce(moved.held_quota, 0) as e_held,
          coalesce(moved.aff_quota, 0) as e_aff, coalesce(moved.used_quota, 0) as e_used,
          coalesce(moved.request_count, 0) as e_count
        from users full join moved on moved.user_id = users.id
      )
      select 'users.quota' as balance, owner, coalesce(quota, 0) as found, e_quota as expected from compared
      union all select 'users.held_quota', owner, coalesce(held_quota, 0), e_held from compared
      union all select 'users.aff_quota', owner, coalesce(aff_quota, 0), e_aff from compared
      union all select 'users.used_quota', owner, used_quota, e_used from compared where user_id is not null
      union all select 'users.request_count', owner, request_count, e_count from compared where user_id is not null`,
  )
}

/** Compares tokens' columns with their postings: limits where the token was limited, usage in any case. */
export function findTokenDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`with moved as (
        select token_id, ${netFlow('token')}
          + sum(case when is_token_limited = 1 and to_account = 'wallet' then amount else 0 end)
          - sum(case when is_token_limited = 1 and from_account = 'wallet' then amount else 0 end) as remain_quota,
          sum(case when to_account = 'revenue' then amount else 0 end) + ${netFlow('usage')} as used_quota
        from postings where token_id is not null group by token_id
      ), compared as (
        select tokens.id as owner, tokens.remain_quota, tokens.used_quota,
          coalesce(moved.remain_quota, 0) as e_remain, coalesce(moved.used_quota, 0) as e_used
        from tokens left join moved on moved.token_id = tokens.id
      )
      select 'tokens.remain_quota' as balance, owner, remain_quota as found, e_remain as expected from compared
      union all select 'tokens.used_quota', owner, used_quota, e_used from compared`,
  )
}

export function findChannelDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`select 'channels.used_quota' as balance, channels.id as owner, channels.used_quota as found,
        coalesce(moved.used, 0) as expected
      from channels left join (
        select channel_id, sum(case when to_account = 'revenue' then amount else 0 end) + ${netFlow('usage')} as used
        from postings where channel_id is not null group by channel_id
      ) as moved on moved.channel_id = channels.id`,
  )
}

/** Compares users' reserved quota with their open holds. */
export function findHoldDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`select 'open holds' as balance, coalesce(users.id, open.user_id) as owner, coalesce(open.amount, 0) as found,
        coalesce(users.held_quota, 0) as expected
      from users full join (select user_id, sum(amount) as amount from holds where paid_by is null group by user_id) as open
        on open.user_id = users.id`,
  )
}

/** Finds holds of tasks that are no longer polled: they would never be closed. */
export function findOrphanedTaskHolds(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`select 'holds of tasks' as balance, holds.user_id as owner, sum(holds.amount) as found, 0 as expected
      from holds left join tasks on tasks.request_id = holds.request_id and tasks.due_ms is not null
      where holds.process_id = ${sql.lit(TASK_PROCESS_ID)} and tasks.id is null group by holds.user_id`,
  )
}

/**
 * Compares the totals of the hours with the charges of users. Hours do not include what a user consumed at another gateway,
 * except for imported log rows.
 */
export function findUsageDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`with hours as (
        select user_id, sum(quota) as quota, sum(count) as requests from usage_hours where type = 2 group by user_id
      ), imported as (
        select user_id, ${netFlow('usage')} as quota, ${netFlow('requests')} as requests from postings
        where kind = ${sql.lit(IMPORT_KIND)} and token_id is null and channel_id is null group by user_id
      ), compared as (
        select users.id as owner, coalesce(hours.quota, 0) as quota, coalesce(hours.requests, 0) as requests,
          users.used_quota - coalesce(imported.quota, 0) + coalesce(logged.quota, 0) as e_quota,
          users.request_count - coalesce(imported.requests, 0) + coalesce(logged.requests, 0) as e_requests
        from users left join hours on hours.user_id = users.id
          left join imported on imported.user_id = users.id left join import_usage as logged on logged.user_id = users.id
      )
      select 'usage_hours.quota' as balance, owner, quota as found, e_quota as expected from compared
      union all select 'usage_hours.count', owner, requests, e_requests from compared`,
  )
}

/** Compares the charges by hour, of which statements consist, with the postings. */
export function findChargeHourDifferences(db: Database): Promise<BalanceDifferences> {
  return findDifferences(
    db,
    sql`with hours as (
        select user_id, sum(amount) as amount, sum(count) as count from charge_hours group by user_id
      ), charges as (
        select user_id, sum(amount) as amount, count(*) as count from postings
        where kind = 'charge' and from_account <> 'allowance' group by user_id
      ), compared as (
        select coalesce(hours.user_id, charges.user_id) as owner, coalesce(hours.amount, 0) as amount,
          coalesce(hours.count, 0) as count, coalesce(charges.amount, 0) as e_amount, coalesce(charges.count, 0) as e_count
        from hours full join charges on charges.user_id = hours.user_id
      )
      select 'charge_hours.amount' as balance, owner, amount as found, e_amount as expected from compared
      union all select 'charge_hours.count', owner, count, e_count from compared`,
  )
}

/** Requests that are not charged exactly once, are logged more than once, or are logged with another amount. At most `limit` rows. */
export async function listRequestDifferences(db: Database, limit: number): Promise<RequestDifference[]> {
  const { rows } = await compareRequests(sql`select request_id as "requestId", charges, logs, units
    from compared where charges <> 1 or logs > 1 or (logs = 1 and units <> 0) limit ${sql.lit(limit)}`).execute(
    db,
  )
  return rows
}

/** Counts charges without a log row: logging was off, or old rows were deleted. */
export async function countUnloggedCharges(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from postings
    where to_account = 'revenue'
    and not exists (select 1 from logs where logs.request_id = postings.request_id and logs.type = 2)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export async function countLedgerRows(db: Database): Promise<LedgerCounts> {
  const { rows } = await sql<LedgerCounts>`select (select count(*) from users) as users,
    (select count(*) from tokens) as tokens, (select count(*) from channels) as channels,
    (select count(*) from postings) as postings,
    (select count(*) from postings where to_account = 'revenue') as charges,
    (select count(*) from holds) as "openHolds",
    (select count(*) from users where quota + held_quota < 0) as "walletsBelowZero"`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('the database returned no counts')
  return counts
}

const compareRequests = (selection: RawBuilder<unknown>) =>
  sql<RequestDifference>`with compared as (
      select request_id, cast(sum(charge) as bigint) as charges, cast(sum(log) as bigint) as logs,
        cast(sum(amount) as bigint) as units
      from (
        select request_id, 1 as charge, 0 as log, amount from postings where to_account = 'revenue'
        union all select request_id, 0, 1, -quota from logs
          where type = 2 and request_id not like ${sql.lit(`${IMPORTED_REQUEST}%`)}
      ) as entered group by request_id
    ) ${selection}`

async function findDifferences(db: Database, comparison: RawBuilder<unknown>): Promise<BalanceDifferences> {
  const { rows } = await sql<DifferenceRow>`select balance, owner, cast(found as bigint) as found,
      cast(expected as bigint) as expected, count(*) over () as count,
      cast(sum(abs(found - expected)) over () as bigint) as units
    from (${comparison}) as balances where found <> expected limit ${sql.lit(DIFFERENCES_SHOWN_MAX)}`.execute(
    db,
  )
  const first = rows.map(({ balance, owner, found, expected }) => ({ balance, owner, found, expected }))
  return { first, count: rows[0]?.count ?? 0, units: rows[0]?.units ?? 0 }
}
