import { z } from 'zod'

export const RANGES = ['15m', '1h', 'today', 'yesterday', '24h', '7d', '30d', 'month'] as const
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

/** Unix seconds, both included. An end of 0 is open: rows that come in are part of it. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What a preset stands for at a moment. Days and months begin in the reader's time zone. */
export function spanOfRange(range: Range, nowSeconds: number): Span {
  const length = LENGTHS[range]
  if (length !== undefined) return { start: nowSeconds - length, end: 0 }
  const now = new Date(nowSeconds * 1000)
  const midnight = secondsOf(new Date(now.getFullYear(), now.getMonth(), now.getDate()))
  if (range === 'today') return { start: midnight, end: 0 }
  if (range === 'month') return { start: secondsOf(new Date(now.getFullYear(), now.getMonth())), end: 0 }
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  return { start: secondsOf(yesterday), end: midnight - 1 }
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

interface Wanted {
  readonly range: Range
  /** Unix seconds as text; empty when the preset holds. */
  readonly from: string
  readonly to: string
}

export const RANGE_DEFAULT: Range = '30d'

/** `11-21 10:00 - 12:30`: as short as it stays clear. The year is said when it is not this one. */
export function shortSpan(start: number, end: number, nowSeconds: number): string {
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

/** The span of an address: exact moments win over the preset. */
export const spanOf = ({ range, from, to }: Wanted, nowSeconds: number): Span =>
  from === '' && to === '' ? spanOfRange(range, nowSeconds) : { start: Number(from), end: Number(to) }

const Digits = z.string().regex(/^\d*$/).catch('').default('')

/** The stretch of time in an address. `range` is absent while the list's own holds; `from` and `to` win over it. */
export const RangeSearch = {
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
} as const
