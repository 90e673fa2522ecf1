const MS = 1000

/** The beginning of the month in UTC, in Unix seconds as the time. */
export function startOfUtcMonth(seconds: number): number {
  const time = new Date(seconds * MS)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth()) / MS
}
