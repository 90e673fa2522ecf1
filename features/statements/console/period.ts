import { formatDateTime } from '#console/app/format/format.tsx'
import type { TimeSpan } from '#console/app/time/ranges.ts'

const DATE_LENGTH = 10

/** The local day of a time: `2026-11-25`. */
export const dayOf = (unixSeconds: number): string => formatDateTime(unixSeconds).slice(0, DATE_LENGTH)

const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The local calendar month in which `unixSeconds` lies, moved by a number of months. */
export function monthAround(unixSeconds: number, by: number): TimeSpan {
  const date = new Date(unixSeconds * 1000)
  const start = new Date(date.getFullYear(), date.getMonth() + by)
  const next = new Date(date.getFullYear(), date.getMonth() + by + 1)
  return { start: toUnixSeconds(start), end: toUnixSeconds(next) - 1 }
}
