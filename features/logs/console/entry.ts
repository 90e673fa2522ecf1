import { shellQuote } from '#console/app/snippets/shell-quote.ts'
import type { Tone } from '#console/ui/data/badges.tsx'
import { FAILED_LOG_TYPES, LOG_TYPE } from '#contract/enums.ts'
import { LogDetail } from '../contract/log-detail.ts'
import type { LogEntry } from '../contract/logs.ts'

/** A log entry with its parsed details. */
export interface Row {
  readonly entry: LogEntry
  readonly detail: LogDetail
}

export const toRow = (entry: LogEntry): Row => ({ entry, detail: readDetail(entry) })

/** The details in `other`. Empty when there are none or when they do not match the schema. */
export function readDetail(entry: LogEntry): LogDetail {
  if (entry.other === '') return {}
  try {
    return LogDetail.safeParse(JSON.parse(entry.other)).data ?? {}
  } catch {
    return {}
  }
}

/** `502 upstream_unreachable · the upstream could not be reached`; empty for an entry that is not a failure. */
export const failureReason = (entry: LogEntry, { error }: LogDetail): string =>
  isFailed(entry) ? [error && `${error.status} ${error.code}`, entry.content].filter(Boolean).join(' · ') : ''

/** Whether the entry is a request that reached a model. Type 0 entries are displayed like consumption. */
export const isRequest = ({ type }: LogEntry): boolean =>
  type === 0 || type === LOG_TYPE.consumption || type === LOG_TYPE.failure

/** Whether the entry is a request without a response. */
export const isFailed = ({ type }: LogEntry): boolean => FAILED_LOG_TYPES.includes(type)

interface TypeBadge {
  readonly textKey:
    | 'topUp'
    | 'consumption'
    | 'management'
    | 'system'
    | 'failure'
    | 'rejection'
    | 'unknownType'
  readonly tone: Tone
}

const CONSUMPTION: TypeBadge = { textKey: 'consumption', tone: 'success' }
/** Type 0 is from logs of other programs, which store consumption without a type. */
const TYPE_BADGES: Readonly<Record<number, TypeBadge>> = {
  0: CONSUMPTION,
  [LOG_TYPE.topUp]: { textKey: 'topUp', tone: 'info' },
  [LOG_TYPE.consumption]: CONSUMPTION,
  [LOG_TYPE.management]: { textKey: 'management', tone: 'warning' },
  [LOG_TYPE.system]: { textKey: 'system', tone: 'neutral' },
  [LOG_TYPE.failure]: { textKey: 'failure', tone: 'danger' },
  [LOG_TYPE.rejection]: { textKey: 'rejection', tone: 'danger' },
}

export const typeBadge = (type: number): TypeBadge =>
  TYPE_BADGES[type] ?? { textKey: 'unknownType', tone: 'unknown' }

const MS = 1000

export interface Timing {
  /** Duration of the whole request in milliseconds. */
  readonly totalMs: number
  /** Undefined when the response was not streamed. */
  readonly firstTokenMs: number | undefined
  /** Output tokens per second, counted from the first token. Undefined without tokens or without a duration. */
  readonly tokensPerSecond: number | undefined
}

/** The timing of a request. Older entries store whole seconds only. */
export function readTiming(entry: LogEntry, { use_ms, frt }: LogDetail): Timing {
  const totalMs = use_ms ?? entry.use_time * MS
  // The server stores -1000 when the response was not streamed.
  const firstTokenMs = frt !== undefined && frt >= 0 ? frt : undefined
  const outputMs = totalMs - (firstTokenMs ?? 0)
  const speed = outputMs > 0 ? entry.completion_tokens / (outputMs / MS) : 0
  return { totalMs, firstTokenMs, tokensPerSecond: speed > 0 ? speed : undefined }
}

/** The thresholds, in seconds, are part of the specification: 101 and 300. */
export function durationTone(seconds: number): Tone {
  if (seconds < 101) return 'success'
  return seconds < 300 ? 'warning' : 'danger'
}

/** The thresholds, in seconds, are part of the specification: 3 and 10. */
export function firstTokenTone(seconds: number): Tone {
  if (seconds < 3) return 'success'
  return seconds < 10 ? 'warning' : 'danger'
}

/** `0.8` for 812 ms and `0.004` for 4 ms: a short duration is never rounded to zero. */
export function formatSeconds(ms: number): string {
  const seconds = ms / MS
  if (seconds >= 10) return seconds.toFixed(0)
  return seconds >= 0.1 || seconds === 0 ? seconds.toFixed(1) : String(Number(seconds.toPrecision(1)))
}

/** Rounds to one decimal below ten and to a whole number above. */
export const roundForDisplay = (value: number): number =>
  value < 10 ? Math.round(value * 10) / 10 : Math.round(value)

/** Quota units per million tokens of this request, input and output combined. */
export function unitsPerMillion({ quota, prompt_tokens, completion_tokens }: LogEntry): number | undefined {
  const tokens = prompt_tokens + completion_tokens
  return tokens > 0 && quota > 0 ? (quota / tokens) * 1_000_000 : undefined
}

/** A curl command that repeats the request. Messages are not stored, so the command has a placeholder for them. */
export function toCurl(entry: LogEntry, baseUrl: string): string {
  const { model_name: model, is_stream: isStream, completion_tokens } = entry
  const isEmbedding = completion_tokens === 0 && /embed/i.test(model)
  const body = isEmbedding
    ? { model, input: '…' }
    : { model, ...(isStream && { stream: true }), messages: [{ role: 'user', content: '…' }] }
  return [
    `curl ${shellQuote(`${baseUrl}/v1/${isEmbedding ? 'embeddings' : 'chat/completions'}`)} \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellQuote(JSON.stringify(body))}`,
  ].join('\n')
}
