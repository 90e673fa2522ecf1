import { type RawBuilder, sql } from 'kysely'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { isCall } from '#server/db/logs/log-filter.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import { PART_IDS } from '#server/db/usage/roll-up-totals.ts'

/** Sums over the requests of a channel and a model in a period. */
export interface AuditedTotals {
  /** Unix seconds of the period's start. */
  readonly time: number
  readonly channel_id: number
  readonly model_name: string
  readonly requests: number
  readonly quota: number
  readonly cost_nanos: number
}

type AuditSource = Pick<OpenDatabase, 'db' | 'engine'>

const HOUR_SECONDS = 3600

/** The log rows that the roll-ups contain: ids above `after`, up to `until`. */
export interface CountedIds {
  readonly after: number
  readonly until: number
}

export async function findCountedIds({ db }: Pick<AuditSource, 'db'>): Promise<CountedIds> {
  const { rows } = await sql<{ after: number; until: number }>`select
    (select done from analytics_cursors where name = 'earlier') as after,
    (select done from analytics_cursors where name = 'requests') as until`.execute(db)
  return { after: Number(rows[0]?.after ?? 0), until: Number(rows[0]?.until ?? 0) }
}

export async function findLogIds({ db }: Pick<AuditSource, 'db'>, ids: CountedIds): Promise<CountedIds> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select (select min(id) from logs where id > ${ids.after} and id <= ${ids.until}) as first,
      (select max(id) from logs where id > ${ids.after} and id <= ${ids.until}) as last`.execute(db)
  const [{ first, last } = { first: null, last: null }] = rows
  return { after: Number(first ?? 1) - 1, until: Number(last ?? 0) }
}

/**
 * The cost in a receipt, which is JSON text. PostgreSQL takes long to parse that, so it looks for the name: within a text every
 * quotation mark is escaped, so that the name with its marks is a member.
 */
const COST_OF_RECEIPT: Readonly<Record<Engine, RawBuilder<unknown>>> = {
  sqlite: sql`cast(json_extract(body, '$.cost_nanos') as integer)`,
  postgres: sql`case when strpos(body, '"cost_nanos":') = 0 then 0
    else cast(substring(substr(body, strpos(body, '"cost_nanos":') + 13, 20) from '^[0-9]+') as bigint) end`,
}

/** The totals by hour of these log rows and their receipts. */
export async function sumLoggedRequests(
  { db, engine }: AuditSource,
  { after, until }: CountedIds,
): Promise<readonly AuditedTotals[]> {
  const { rows } = await sql<AuditedTotals>`select time, channel_id, model_name,
      ${sumsOf(sql`1`)} from (
      select created_at - created_at % ${sql.lit(HOUR_SECONDS)} as time, channel_id, model_name, quota,
        ${COST_OF_RECEIPT[engine]} as cost_nanos
      from logs left join receipts on receipts.log_id = logs.id
        and receipts.log_id > ${after} and receipts.log_id <= ${until}
      where logs.id > ${after} and logs.id <= ${until}
        and ${isCall}
    ) as logged group by time, channel_id, model_name`.execute(db)
  return rows.map(withNumbers)
}

/** Totals that analytics reads, each with what no larger totals contain yet. */
export const ROLL_UPS = [
  { name: 'analytics_minutes', period: 'hour' },
  { name: 'analytics_hours', period: 'hour' },
  { name: 'analytics_gateway_hours', period: 'hour' },
  { name: 'analytics_days', period: 'day' },
  { name: 'analytics_gateway_days', period: 'day' },
] as const
export type RollUpName = (typeof ROLL_UPS)[number]['name']

const isComplete = (name: 'hours' | 'days') =>
  sql`id < (select part from analytics_cursors where name = ${sql.lit(name)}) * ${sql.lit(PART_IDS)}`
const isLater = (name: 'hours' | 'days') =>
  sql`id > (select done from analytics_cursors where name = ${sql.lit(name)})`

const LATER_MINUTES = { table: 'analytics_minutes', time: 'minute', where: isLater('hours') } as const
const hoursOf = (table: string, where: RawBuilder<unknown>) => ({ table, time: 'hour', where })
const daysOf = (prefix: string) => [
  { table: `${prefix}_days`, time: 'day', where: isComplete('days') },
  hoursOf(`${prefix}_hours`, sql`${isComplete('hours')} and ${isLater('days')}`),
  LATER_MINUTES,
]

interface RollUpPart {
  readonly table: string
  readonly time: string
  readonly where: RawBuilder<unknown>
}

const PARTS: Readonly<Record<RollUpName, readonly RollUpPart[]>> = {
  analytics_minutes: [{ table: 'analytics_minutes', time: 'minute', where: sql`1 = 1` }],
  analytics_hours: [hoursOf('analytics_hours', isComplete('hours')), LATER_MINUTES],
  analytics_gateway_hours: [hoursOf('analytics_gateway_hours', isComplete('hours')), LATER_MINUTES],
  analytics_days: daysOf('analytics'),
  analytics_gateway_days: daysOf('analytics_gateway'),
}

/** Totals of a roll-up, by periods of this many seconds from a time on. */
export async function sumRollUp(
  { db }: Pick<AuditSource, 'db'>,
  name: RollUpName,
  { periodSeconds, from }: { readonly periodSeconds: number; readonly from: number },
): Promise<readonly AuditedTotals[]> {
  const totals: AuditedTotals[] = []
  for (const { table, time, where } of PARTS[name]) {
    const { rows } = await sql<AuditedTotals>`select
        ${sql.ref(time)} - ${sql.ref(time)} % ${sql.lit(periodSeconds)} as time, channel_id, model_name,
        ${sumsOf(sql`requests`)}
      from ${sql.table(table)} where ${sql.ref(time)} >= ${from} and ${where}
      group by 1, channel_id, model_name`.execute(db)
    totals.push(...rows.map(withNumbers))
  }
  return totals
}

const sumsOf = (requests: RawBuilder<unknown>) => sql`cast(sum(${requests}) as bigint) as requests,
  cast(sum(quota) as bigint) as quota, cast(sum(cost_nanos) as bigint) as cost_nanos`

/** PostgreSQL gives large numbers as text. */
const withNumbers = (row: AuditedTotals): AuditedTotals => ({
  ...row,
  time: Number(row.time),
  channel_id: Number(row.channel_id),
  requests: Number(row.requests),
  quota: Number(row.quota),
  cost_nanos: Number(row.cost_nanos),
})
