import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import type { MetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { completionTokens, promptTokens, type SeparateParts, type Usage } from '#server/core/usage.ts'
import { markChannel } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { NamedChannel } from '#server/notifications/root-notifier.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import type { SettledRequest } from '#server/relay/hooks.ts'
import type { ActiveRequest, OperationName } from '#server/relay/types.ts'
import { type AlarmKind, usageNotice } from './notice.ts'

interface UsageAlarmDeps {
  readonly db: Database
  readonly log: Logger
  readonly metrics: MetricsRegistry
  /** Notifies the super administrator. */
  readonly notify: (notice: UserNotification) => void
}

/** A channel that reports nonsense does so with every response. */
const PAUSE_MS = 60_000

/** Other prompts are not only text. */
const COMPARED_OPERATIONS: ReadonlySet<OperationName> = new Set(['chat', 'completions'])
/** Shorter prompts hide in the provider's own. */
const COMPARED_TOKENS_MIN = 2_000
/** Vocabularies differ by less than this from our estimate. */
const MULTIPLE_MIN = 1.8
const PART_MAX = 0.5
/** The number of requests in a row: single prompts may be hard to estimate. */
const MULTIPLES_MIN = 20
const TENTHS = 10
/** Providers choose the names. */
const UNKNOWN_FIELDS_MAX = 100

const isMultiple = (ratio: number): boolean => ratio >= MULTIPLE_MIN || ratio <= PART_MAX

/** Reports channels whose usage cannot be true, or contradicts their settings, in the background. */
export function createUsageAlarm(deps: UsageAlarmDeps): (settled: SettledRequest) => void {
  const { report, compare, warn, noteServed } = createReports(deps)
  const noteUnknown = createFieldCounter(deps)
  return ({ channel, response }) => {
    if (!response) return
    const { request, outcome } = response
    const { usage, provenance, rejectedUsage, servedModel } = outcome
    if (servedModel !== undefined) noteServed(channel, request, servedModel)
    if (rejectedUsage) report(channel, request, rejectedUsage)
    if (provenance === 'upstream') compare(channel, request, usage)
    const { separate } = usage
    noteUnknown(channel, request, usage.unknownFields)
    if (separate && Object.keys(separate).length > 0) warn(channel, request, separate)
  }
}

function createReports({ db, log, notify }: UsageAlarmDeps) {
  const lastMs = new Map<string, number>()
  /** By channel: how many requests in a row reported a multiple. */
  const multiples = new Map<number, number>()
  const isDue = (key: string): boolean => {
    const sinceMs = elapsedMs() - (lastMs.get(key) ?? Number.NEGATIVE_INFINITY)
    if (sinceMs >= PAUSE_MS) lastMs.set(key, elapsedMs())
    return sinceMs >= PAUSE_MS
  }
  const raise = (channel: NamedChannel, reason: string, kind: AlarmKind): void => {
    if (!isDue(`${kind} ${channel.id}`)) return
    notify(usageNotice(channel, reason, kind))
    markChannel(db, channel.id, { reason, atSeconds: nowSeconds() }).catch((error: unknown) =>
      log.error('a channel could not be marked', { channel_id: channel.id, reason: errorMessage(error) }),
    )
  }
  /** Compares the provider's figures with our own count, and warns of a channel that keeps reporting a multiple of it. */
  const compare = (channel: NamedChannel, request: ActiveRequest, usage: Usage): void => {
    const { requestId, model, inputTokens, isOpenEnded, operation } = request

    if (!COMPARED_OPERATIONS.has(operation.name) || inputTokens < COMPARED_TOKENS_MIN || isOpenEnded) return
    const ratio = promptTokens(usage) / inputTokens
    const count = isMultiple(ratio) ? (multiples.get(channel.id) ?? 0) + 1 : 0
    multiples.set(channel.id, count % MULTIPLES_MIN)
    if (count < MULTIPLES_MIN) return
    const times = Math.round(ratio * TENTHS) / TENTHS
    raise(channel, `${model}: usage_multiplier (about ${times}), request ${requestId}`, 'contradictory')
  }
  /** `separate`: parts that are charged as if they were inside their totals. */
  const warn = (
    channel: NamedChannel,
    { requestId, model }: ActiveRequest,
    separate: SeparateParts,
  ): void => {
    const { cachedInput, reasoning } = separate

    const names = [
      cachedInput !== undefined && `cached_tokens (${cachedInput})`,
      reasoning !== undefined && `reasoning_tokens (${reasoning})`,
    ].filter(Boolean)
    log.warn('a channel counts parts of its usage beside the totals', {
      request_id: requestId,
      channel_id: channel.id,
      model,
      cached_tokens: cachedInput,
      reasoning_tokens: reasoning,
    })
    raise(channel, `${model}: ${names.join(', ')}, request ${requestId}`, 'contradictory')
  }
  const report = (channel: NamedChannel, { requestId, model }: ActiveRequest, rejectedUsage: Usage): void => {
    const prompt = promptTokens(rejectedUsage)
    const completion = completionTokens(rejectedUsage)
    log.error('a provider reported usage that cannot be true', {
      request_id: requestId,
      channel_id: channel.id,
      model,
      prompt_tokens: prompt,
      completion_tokens: completion,
    })
    raise(channel, `${model}: ${prompt} + ${completion} tokens, request ${requestId}`, 'rejected')
  }
  const noteServed = (channel: NamedChannel, { requestId, model }: ActiveRequest, served: string): void => {
    if (!isDue(`served ${channel.id}`)) return
    const fields = { request_id: requestId, channel_id: channel.id, model, served_model: served }
    log.warn('a provider served another model than was asked for', fields)
  }
  return { report, compare, warn, noteServed }
}

/** Counts figures that no reader knows, and logs the first of each channel and field. */
function createFieldCounter({ log, metrics }: Pick<UsageAlarmDeps, 'log' | 'metrics'>) {
  const counts = new Map<string, number>()
  const logged = new Set<string>()
  metrics.counter(
    'tollgate_unknown_usage_fields_total',
    'Responses whose usage had a count that no reader knows, by field.',
    () => [...counts].map(([field, count]) => [{ field }, count] as const),
  )
  const note = (channel: NamedChannel, { requestId, model }: ActiveRequest, name: string): void => {
    const field = counts.size < UNKNOWN_FIELDS_MAX || counts.has(name) ? name : 'other'
    counts.set(field, (counts.get(field) ?? 0) + 1)
    const key = `${channel.id} ${field}`
    if (logged.has(key)) return
    logged.add(key)
    const fields = { request_id: requestId, channel_id: channel.id, model, field }
    log.warn('a provider reported usage in a field that is not charged', fields)
  }
  return (channel: NamedChannel, request: ActiveRequest, fields: readonly string[] = []): void => {
    for (const field of fields) note(channel, request, field)
  }
}
