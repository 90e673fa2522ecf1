import type { UsageRow } from '#features/dashboard/contract.ts'

const AVERAGE_DAYS = 7
const CHART_DAYS = 30

export interface Day {
  /** Unix seconds of its local midnight. */
  readonly start: number
  readonly quota: number
}

/** Unix seconds of the local midnights of the last 30 days, in order; the last is today's. */
export function lastDayStarts(nowSeconds: number): readonly number[] {
  const today = new Date(nowSeconds * 1000)
  return Array.from({ length: CHART_DAYS }, (_, index) => {
    const back = CHART_DAYS - 1 - index
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back)
    return Math.floor(day.getTime() / 1000)
  })
}

/** The quota spent on each of these days; 0 for a day without usage. */
export function spentByDay(rows: readonly UsageRow[], starts: readonly number[]): readonly Day[] {
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY
    const quota = rows
      .filter(({ created_at: at }) => at >= start && at < end)
      .reduce((sum, row) => sum + row.quota, 0)
    return { start, quota }
  })
}

export interface Forecast {
  /** Quota per day, averaged over the last seven days. */
  readonly pace: number
  /** Whole days until the balance is used up; undefined when nothing is spent. */
  readonly daysLeft: number | undefined
}

/** How long a balance lasts at the average of the last seven days. */
export function forecastBalance(days: readonly Day[], balance: number): Forecast {
  const pace = days.slice(-AVERAGE_DAYS).reduce((sum, { quota }) => sum + quota, 0) / AVERAGE_DAYS
  return { pace, daysLeft: pace > 0 ? Math.max(Math.floor(balance / pace), 0) : undefined }
}
