import { nowSeconds } from '#server/core/clock.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import { inSnapshot } from '#server/db/billing/audit.ts'
import type { Database, OpenDatabase } from '#server/db/engine/database.ts'
import { MINUTES_KEPT_SECONDS } from '#server/db/usage/count-requests.ts'
import { findRolledUpUntil } from '#server/db/usage/usage-days.ts'
import type { Proof, VerifyContext } from '#server/feature.ts'
import {
  type AuditedTotals,
  findCountedIds,
  findLogIds,
  ROLL_UPS,
  type RollUpName,
  sumLoggedRequests,
  sumRollUp,
} from './queries/audit.ts'

/** Totals of analytics that differ from the log rows and receipts of their requests. */
interface TotalsDifference {
  readonly rollUp: RollUpName
  readonly figure: 'requests' | 'quota' | 'cost_nanos'
  /** Unix seconds of the start of the hour or day. */
  readonly time: number
  readonly channelId: number
  readonly model: string
  readonly found: number
  readonly expected: number
}

interface AnalyticsReport {
  /** The sum of absolute differences, in units or requests; costs in units, rounded up. */
  readonly drift: number
  /** The first of them. */
  readonly first: readonly TotalsDifference[]
  /** How many requests were compared. */
  readonly requests: number
}

const HOUR_SECONDS = 3600
const PERIOD_SECONDS = { hour: HOUR_SECONDS, day: 24 * HOUR_SECONDS } as const
/** Ids that one query reads: their groups fit into memory. */
const IDS_AT_ONCE = 200_000
const DIFFERENCES_SHOWN_MAX = 100

type Cells = Map<string, AuditedTotals>

/**
 * Compares each roll-up of analytics with the requests that it counted, by hour or day, channel and model, in one snapshot.
 * Where requests have no log row any more, or never had one, a roll-up may only be larger.
 */
export function auditAnalytics({
  db,
  engine,
}: Pick<OpenDatabase, 'db' | 'engine'>): Promise<AnalyticsReport> {
  return inSnapshot(db, async tx => {
    const logged: Cells = new Map()
    const ids = await findLogIds({ db: tx }, await findCountedIds({ db: tx }))
    for (let after = ids.after; after < ids.until; after += IDS_AT_ONCE) {
      const until = Math.min(after + IDS_AT_ONCE, ids.until)
      addAll(logged, await sumLoggedRequests({ db: tx, engine }, { after, until }), HOUR_SECONDS)
    }
    const now = nowSeconds()
    const differences: TotalsDifference[] = []
    for (const { name, period } of ROLL_UPS) {
      const periodSeconds = PERIOD_SECONDS[period]
      const from = await findKeptFrom(tx, name, now)
      const found: Cells = new Map()
      addAll(found, await sumRollUp({ db: tx }, name, { periodSeconds, from }), periodSeconds)
      const expected: Cells = new Map()
      addAll(
        expected,
        [...logged.values()].filter(({ time }) => time >= from),
        periodSeconds,
      )
      differences.push(...compare(name, found, expected))
    }
    return {
      drift: differences.reduce((sum, difference) => sum + unitsOf(difference), 0),
      first: differences.slice(0, DIFFERENCES_SHOWN_MAX),
      requests: [...logged.values()].reduce((sum, { requests }) => sum + requests, 0),
    }
  })
}

/** Its part of `tollgate verify`. */
export async function verifyAnalytics({ database }: Pick<VerifyContext, 'database'>): Promise<Proof> {
  const { drift, first, requests } = await auditAnalytics(database)
  return { drift, counts: { 'in analytics': requests }, lines: first.map(toLine) }
}

const MS_PER_SECOND = 1000

function toLine({ rollUp, figure, time, channelId, model, found, expected }: TotalsDifference): string {
  const period = new Date(time * MS_PER_SECOND).toISOString()
  return `${rollUp}.${figure} of ${period}, channel ${channelId}, ${model} is ${found}, must be ${expected}`
}

/** The first hour of which the roll-up has kept everything. */
async function findKeptFrom(db: Database, name: RollUpName, now: number): Promise<number> {
  if (name === 'analytics_hours') return findRolledUpUntil(db, name)
  if (name !== 'analytics_minutes') return 0
  return Math.ceil((now - MINUTES_KEPT_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS
}

const keyOf = (time: number, { channel_id, model_name }: AuditedTotals): string =>
  `${time} ${channel_id} ${model_name}`

function addAll(cells: Cells, totals: readonly AuditedTotals[], periodSeconds: number): void {
  for (const one of totals) {
    const time = one.time - (one.time % periodSeconds)
    const key = keyOf(time, one)
    cells.set(key, add({ ...one, time }, cells.get(key)))
  }
}

const add = (one: AuditedTotals, other: AuditedTotals | undefined): AuditedTotals =>
  other
    ? {
        ...one,
        requests: one.requests + other.requests,
        quota: one.quota + other.quota,
        cost_nanos: one.cost_nanos + other.cost_nanos,
      }
    : one

function compare(rollUp: RollUpName, found: Cells, expected: Cells): TotalsDifference[] {
  const cells = new Map([...expected, ...found])
  return [...cells].flatMap(([key, { time, channel_id, model_name }]) => {
    const [is, must] = [found.get(key) ?? NO_TOTALS, expected.get(key) ?? NO_TOTALS]
    return FIGURES.filter(figure =>
      is.requests > must.requests ? is[figure] < must[figure] : is[figure] !== must[figure],
    ).map(figure => ({
      rollUp,
      figure,
      time,
      channelId: channel_id,
      model: model_name,
      found: is[figure],
      expected: must[figure],
    }))
  })
}

const FIGURES = ['requests', 'quota', 'cost_nanos'] as const
const NO_TOTALS = { requests: 0, quota: 0, cost_nanos: 0 } as const

function unitsOf({ figure, found, expected }: TotalsDifference): number {
  const difference = Math.abs(found - expected)
  return figure === 'cost_nanos' ? Math.ceil(difference / NANOS_PER_UNIT) : difference
}
