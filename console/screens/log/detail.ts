import { LogDetail, type LogEntry } from '#contract/logs/logs.ts'

const MS = 1000

/** What stands behind a row; empty for rows without details or with some that cannot be read. */
export function readDetail(entry: LogEntry): LogDetail {
  if (entry.other === '') return {}
  try {
    return LogDetail.safeParse(JSON.parse(entry.other)).data ?? {}
  } catch {
    return {}
  }
}

export interface Timing {
  /** Milliseconds of the whole request. */
  readonly totalMs: number
  /** Undefined when nothing was streamed. */
  readonly firstTokenMs: number | undefined
  /** Tokens of the answer in a second, after the first one; undefined when it says nothing. */
  readonly tokensPerSecond: number | undefined
}

export function readTiming(entry: LogEntry, { use_ms, frt }: LogDetail): Timing {
  const totalMs = use_ms ?? entry.use_time * MS
  const firstMs = frt !== undefined && frt >= 0 ? frt : undefined
  const writingMs = totalMs - (firstMs ?? 0)
  const speed = writingMs > 0 ? entry.completion_tokens / (writingMs / MS) : 0
  return { totalMs, firstTokenMs, tokensPerSecond: speed > 0 ? speed : undefined }
}

/** Quota units of a million tokens of this request, input and output together. */
export function unitsPerMillion({ quota, prompt_tokens, completion_tokens }: LogEntry): number | undefined {
  const tokens = prompt_tokens + completion_tokens
  return tokens > 0 && quota > 0 ? (quota / tokens) * 1_000_000 : undefined
}

/** `0.8` for 812 ms, `0.004` for 4 ms: never nothing for something. */
export function formatSeconds(ms: number): string {
  const seconds = ms / MS
  if (seconds >= 10) return seconds.toFixed(0)
  return seconds >= 0.1 || seconds === 0 ? seconds.toFixed(1) : String(Number(seconds.toPrecision(1)))
}

/** One digit after the point below ten, none above. */
export const roundForDisplay = (value: number): number =>
  value < 10 ? Math.round(value * 10) / 10 : Math.round(value)
