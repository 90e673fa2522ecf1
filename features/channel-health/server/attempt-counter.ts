import { nowSeconds } from '#server/core/clock.ts'
import { type Logger, throttledLog } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { AttemptTrace } from '#server/relay/routing/attempts.ts'
import {
  type CompletedRequest,
  failedAttempts,
  type RelayObserver,
} from '#server/relay/telemetry/observer.ts'
import type { ChannelHealth } from '../contract.ts'
import { type AttemptRow, addAttempts, listAttempts } from './queries.ts'

const SLOT_SECONDS = 15 * 60
const HOUR_SECONDS = 3600
const HOURS_SHOWN = 24
/** How long a channel's calls decide on its state. */
const RECENT_SECONDS = 30 * 60
const FAILING_SHARE = 0.5
const DEGRADED_SHARE = 0.05
/** One failure may be chance. */
const FAILING_ATTEMPTS_MIN = 2
/** A key that was rejected is no chance, and is not called again for a while: there may be no second failure. */
const KEY_REJECTED = /^40[123]\b/
const ERROR_CHARS_MAX = 100
const SERVER_ERROR = 500
/** Statuses below 500 that are the fault of key, account, settings or load of the channel, not of the request. */
const CHANNEL_FAULTS: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429])
const NO_STATUS: ReadonlySet<number> = new Set([0, 499])

/**
 * Counts every call of a channel, including those after which another channel responded: the log has only the last channel
 * of a request, so a dead one with a working substitute leaves no row.
 */
export class AttemptCounter implements RelayObserver {
  private readonly db: Database
  private readonly reportFailure: ReturnType<typeof throttledLog>
  private counts = new Map<string, AttemptRow>()

  constructor(db: Database, log: Logger) {
    this.db = db
    this.reportFailure = throttledLog(log, 'calls of channels could not be counted')
  }

  requestCompleted({ trace, outcome }: Pick<CompletedRequest, 'trace' | 'outcome'>): void {
    const last = trace.attempts.length - 1
    for (const [index, attempt] of trace.attempts.entries())
      this.add(
        index === last && outcome.ending === 'upstream-broke'
          ? { ...attempt, status: SERVER_ERROR, code: 'upstream_broke' }
          : attempt,
      )
  }

  requestFailed({ error }: { readonly error: unknown }): void {
    for (const attempt of failedAttempts(error)) this.add(attempt)
  }

  requestRejected(): void {
    // No channel was called.
  }

  taskPolled(): void {
    // A poll says little about a channel: it was called when the task was submitted.
  }

  /** Never rejects: counts that cannot be written are dropped. */
  async write(): Promise<void> {
    const rows = [...this.counts.values()].sort((a, b) => a.channel_id - b.channel_id || a.start - b.start)
    if (rows.length === 0) return
    this.counts = new Map()
    const keptFrom = nowSeconds() - (HOURS_SHOWN + 1) * HOUR_SECONDS
    await addAttempts(this.db, rows, keptFrom).catch(error => this.reportFailure({ error }))
  }

  close(): Promise<void> {
    return this.write()
  }

  private add({ channelId, status, code }: Pick<AttemptTrace, 'channelId' | 'status' | 'code'>): void {
    if (NO_STATUS.has(status)) return
    const now = nowSeconds()
    const start = now - (now % SLOT_SECONDS)
    const key = `${channelId} ${start}`
    const row = this.counts.get(key)
    const isFailed = status >= SERVER_ERROR || CHANNEL_FAULTS.has(status)
    const error = `${status} ${code ?? ''}`.trim().slice(0, ERROR_CHARS_MAX)
    this.counts.set(key, {
      channel_id: channelId,
      start,
      attempts: (row?.attempts ?? 0) + 1,
      failed: (row?.failed ?? 0) + Number(isFailed),
      error: isFailed ? error : (row?.error ?? ''),
      error_at: isFailed ? now : (row?.error_at ?? 0),
      succeeded_at: isFailed ? (row?.succeeded_at ?? 0) : now,
    })
  }
}

/** The health of each channel that was called in the last 24 hours. */
export async function readChannelHealth(db: Database): Promise<ChannelHealth[]> {
  const now = nowSeconds()
  const from = now - (now % HOUR_SECONDS) - (HOURS_SHOWN - 1) * HOUR_SECONDS
  const byChannel = Map.groupBy(await listAttempts(db, from), row => row.channel_id)
  return [...byChannel].map(([id, rows]) => toHealth(id, rows, { from, now }))
}

function toHealth(
  id: number,
  rows: readonly AttemptRow[],
  { from, now }: { readonly from: number; readonly now: number },
): ChannelHealth {
  const last = rows.findLast(row => row.error_at > 0)
  const recentFrom = now - (now % SLOT_SECONDS) + SLOT_SECONDS - RECENT_SECONDS
  return {
    id,
    state: stateOf(rows.filter(({ start }) => start >= recentFrom)),
    ...sumOf(rows),
    hours: Array.from({ length: HOURS_SHOWN }, (_, index) => {
      const start = from + index * HOUR_SECONDS
      return {
        start,
        ...sumOf(rows.filter(row => row.start >= start && row.start < start + HOUR_SECONDS)),
      }
    }),
    last_error: last?.error ?? '',
    last_error_at: last?.error_at ?? 0,
  }
}

interface Sum {
  readonly attempts: number
  readonly failed: number
}

const sumOf = (rows: readonly AttemptRow[]): Sum => ({
  attempts: rows.reduce((sum, row) => sum + row.attempts, 0),
  failed: rows.reduce((sum, row) => sum + row.failed, 0),
})

function stateOf(rows: readonly AttemptRow[]): ChannelHealth['state'] {
  const { attempts, failed } = sumOf(rows)
  if (attempts === 0) return 'idle'
  const share = failed / attempts
  const lastFailure = rows.findLast(row => row.error_at > 0)
  const succeededAt = Math.max(...rows.map(row => row.succeeded_at))
  const isKeyRejected =
    KEY_REJECTED.test(lastFailure?.error ?? '') && (lastFailure?.error_at ?? 0) > succeededAt
  if (isKeyRejected || (share >= FAILING_SHARE && failed >= FAILING_ATTEMPTS_MIN)) return 'failing'
  return share >= DEGRADED_SHARE ? 'degraded' : 'healthy'
}
