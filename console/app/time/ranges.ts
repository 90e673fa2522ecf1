import { z } from 'zod'

export const RANGES = ['15m', '1h', 'today', 'yesterday', '24h', '7d', '30d', 'month', 'lastMonth'] as const
export type Range = (typeof RANGES)[number]

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const LENGTHS: Readonly<Partial<Record<Range, number>>> = {
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
}

/** Unix seconds, inclusive. An end of 0 is open: new rows are part of the range. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
}

/** The range of a preset at a given time. Days and months start in the local time zone. */
export function spanOfPreset(range: Range, nowSeconds: number): TimeSpan {
  const length = LENGTHS[range]
  if (length !== undefined) return { start: nowSeconds - length, end: 0 }
  const now = new Date(nowSeconds * 1000)
  const midnight = toUnixSeconds(new Date(now.getFullYear(), now.getMonth(), now.getDate()))
  if (range === 'today') return { start: midnight, end: 0 }
  const month = (ago: number) => toUnixSeconds(new Date(now.getFullYear(), now.getMonth() - ago))
  if (range === 'month') return { start: month(0), end: 0 }
  if (range === 'lastMonth') return { start: month(1), end: month(0) - 1 }
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  return { start: toUnixSeconds(yesterday), end: midnight - 1 }
}

const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** As an address has it: exact times, Unix seconds as text, take the place of the range. */
export interface RangeChange {
  readonly range?: Range
  readonly from: string
  readonly to: string
}

interface RangeSearchParams {
  readonly range: Range
  /** Unix seconds as text; empty while the preset applies. */
  readonly from: string
  readonly to: string
}

export const RANGE_DEFAULT: Range = '30d'

/** `11-21 10:00 - 12:30`. The end date is omitted on the same day, the year in the current one. */
export function formatShortSpan(start: number, end: number, nowSeconds: number): string {
  const from = new Date(start * 1000)
  const to = new Date(end * 1000)
  const isSameDay = from.toDateString() === to.toDateString()
  const year = new Date(nowSeconds * 1000).getFullYear()
  return `${shortDate(from, year)} ${clock(from)} - ${isSameDay ? '' : `${shortDate(to, year)} `}${clock(to)}`
}

const two = (value: number): string => String(value).padStart(2, '0')

const shortDate = (at: Date, year: number): string =>
  `${at.getFullYear() === year ? '' : `${at.getFullYear()}-`}${two(at.getMonth() + 1)}-${two(at.getDate())}`

const clock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`

/** The range of the search params. Exact times take precedence over the preset. */
export const spanFromSearch = ({ range, from, to }: RangeSearchParams, nowSeconds: number): TimeSpan =>
  from === '' && to === '' ? spanOfPreset(range, nowSeconds) : { start: Number(from), end: Number(to) }

const Digits = z.string().regex(/^\d*$/).catch('').default('')

/** Search params of a time range. `range` is absent while the list's default applies; `from` and `to` override it. */
export const RangeSearch = {
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
} as const
