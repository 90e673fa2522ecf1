import type { TraceTarget } from '#server/config/tracing-config.ts'
import { everyMs } from '#server/core/clock.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Send } from '#server/http-client/send.ts'
import type { TraceSpan } from './trace-span.ts'

/** The resource that all spans of this process belong to. */
interface TracedResource {
  readonly name: string
  readonly version: string
  /** Identifies this process among those of the service. */
  readonly instance: string
}

interface TraceExporterDeps {
  readonly target: TraceTarget
  readonly service: TracedResource
  readonly send: Send
  readonly log: Logger
  /** Time between exports. */
  readonly intervalMs?: number
}

/** Exports spans in the background. No request waits for it or fails because of it. */
export interface TraceExporter {
  add(spans: readonly TraceSpan[]): void
  stats(): TraceExporterStats
  /** Exports the queued spans, as far as the collector accepts them within two seconds. */
  close(): Promise<void>
}

interface TraceExporterStats {
  readonly delivered: number
  /** Spans for which the queue had no room, or which the collector rejected. */
  readonly dropped: number
  readonly waiting: number
}

const QUEUE_SPANS_MAX = 4096
const BATCH_SPANS_MAX = 512
const EXPORT_INTERVAL_MS = 2000
const RESPONSE_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2000

/** Statuses after which the same request may succeed later. Source: opentelemetry.io/docs/specs/otlp */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

type ExportOutcome = 'delivered' | 'rejected' | 'retry'

/** Queues spans up to a limit. They stay queued while the collector is down; spans that find no room are dropped. */
export function createTraceExporter(deps: TraceExporterDeps): TraceExporter {
  const { service, intervalMs = EXPORT_INTERVAL_MS } = deps
  const queue: string[] = []
  let isCollectorDown = false
  let exporting: Promise<void> | undefined
  let delivered = 0
  let dropped = 0
  const post = createPost(deps)
  const exportBatch = async (signal: AbortSignal): Promise<boolean> => {
    const spans = queue.slice(0, BATCH_SPANS_MAX)
    if (spans.length === 0) return false
    const outcome = await post(encodeExportRequest(service, spans), signal)
    isCollectorDown = outcome === 'retry'
    if (isCollectorDown) return false
    queue.splice(0, spans.length)
    if (outcome === 'delivered') delivered += spans.length
    else dropped += spans.length
    return true
  }
  const exportAll = async (signal: AbortSignal): Promise<void> => {
    while (await exportBatch(signal));
  }
  const start = (): Promise<void> => {
    exporting ??= exportAll(AbortSignal.timeout(RESPONSE_TIMEOUT_MS)).finally(() => {
      exporting = undefined
    })
    return exporting
  }
  const stop = everyMs(intervalMs, start)
  return {
    add(spans) {
      for (const span of spans)
        if (queue.length < QUEUE_SPANS_MAX) queue.push(encodeSpan(span))
        else dropped += 1
      if (queue.length >= BATCH_SPANS_MAX && !isCollectorDown) void start()
    },
    stats: () => ({ delivered, dropped, waiting: queue.length }),
    async close() {
      const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
      await Promise.race([Promise.all([stop(), exporting]), aborted(signal)])
      if (!signal.aborted) await exportAll(signal)
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Logs when exports begin to fail and when they succeed again, not each failure. */
function createPost({ target, send, log }: TraceExporterDeps) {
  let isFailing = false
  return async (body: string, signal: AbortSignal): Promise<ExportOutcome> => {
    const { outcome, reason } = await postSpans(send, target, { body, signal })
    if (reason !== undefined && !isFailing) log.warn('traces cannot be delivered', { reason })
    if (reason === undefined && isFailing) log.info('trace delivery resumed')
    isFailing = reason !== undefined
    return outcome
  }
}

async function postSpans(
  send: Send,
  { url, headers }: TraceTarget,
  { body, signal }: { readonly body: string; readonly signal: AbortSignal },
): Promise<{ readonly outcome: ExportOutcome; readonly reason?: string }> {
  const request = { url, headers: { ...headers, 'content-type': 'application/json' }, body }
  const sent = await send(request, {
    signal,
    headersTimeoutMs: RESPONSE_TIMEOUT_MS,
    proxy: undefined,
  })
  if (sent.kind === 'failure') return { outcome: 'retry', reason: sent.failure.message }
  sent.response.cancel()
  const { status, ok } = sent.response
  if (ok) return { outcome: 'delivered' }
  return { outcome: RETRYABLE_STATUSES.has(status) ? 'retry' : 'rejected', reason: `status ${status}` }
}

/** Enumerations of the JSON encoding of OTLP. Source: opentelemetry.io/docs/specs/otlp */
const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const
const STATUS_CODE_ERROR = 2

/** Encoded when it is queued, since the text takes less memory than the span. */
function encodeSpan(span: TraceSpan): string {
  const { traceId, spanId, parentId, name, kind, startedMs, endedMs, attributes, isError } = span
  return JSON.stringify({
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: SPAN_KIND[kind],
    startTimeUnixNano: nanoseconds(startedMs),
    endTimeUnixNano: nanoseconds(endedMs),
    attributes: encodeAttributes(attributes),
    ...(isError && { status: { code: STATUS_CODE_ERROR } }),
  })
}

/** The body of an export request for encoded spans. */
function encodeExportRequest({ name, version, instance }: TracedResource, spans: readonly string[]): string {
  const attributes = { 'service.name': name, 'service.version': version, 'service.instance.id': instance }
  const resource = JSON.stringify({ attributes: encodeAttributes(attributes) })
  const scope = JSON.stringify({ name: 'tollgate', version })
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[${spans.join(',')}]}]}]}`
}

/** A number holds microseconds since the epoch exactly, but not nanoseconds. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const encodeAttributes = (attributes: TraceSpan['attributes']) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  )

const encodeValue = (value: string | number) => {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
