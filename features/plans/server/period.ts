/** A date, as the number of days since 1970-01-01. Whoever counts days decides in which time zone they begin. */
export type Day = number

/** How long one payment lasts. */
export interface BillingPeriod {
  readonly unit: 'day' | 'week' | 'month'
  /** 1 or more. */
  readonly count: number
}

const DAY_MS = 86_400_000
const DAYS_OF_UNIT = { day: 1, week: 7 }

/** The first day after a number of periods that follow one another from `anchor` on. */
export function endOfPeriods(anchor: Day, { unit, count }: BillingPeriod, periods: number): Day {
  const units = count * periods
  return unit === 'month' ? addMonths(anchor, units) : anchor + DAYS_OF_UNIT[unit] * units
}

/** The same day of a later month, or the last one of a month that has no such day. */
function addMonths(day: Day, months: number): Day {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)) / DAY_MS
}
