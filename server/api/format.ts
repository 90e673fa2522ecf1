/** Unix seconds as RFC 3339 text; null stays null. */
export const toIsoTime = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()
