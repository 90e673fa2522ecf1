import { everyMs } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { TraceSpan } from '../core/trace-span.ts'
import type { Send } from '../relay/upstream/send.ts'
import { type TracedProgram, writeRequest, writeSpan } from './otlp-json.ts'

/** Where traces go. */
export interface TraceTarget {
  /** Takes OTLP over HTTP in JSON. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

interface ExporterParts {
  readonly target: TraceTarget
  readonly service: TracedProgram
  readonly send: Send
  readonly log: Logger
  /** How long spans wait for company. */
  readonly waitMs?: number
}

/** Delivers spans in the background. Nothing waits for it, and nothing fails because of it. */
export interface TraceExporter {
  add(spans: readonly TraceSpan[]): void
  figures(): TraceFigures
  /** Delivers what waits, as far as that is quickly done. */
  close(): Promise<void>
}

export interface TraceFigures {
  readonly delivered: number
  /** There was no room, or the collector would not have them. */
  readonly dropped: number
  readonly waiting: number
}

const WAITING_SPANS_MAX = 4096
const SPANS_AT_ONCE = 512
const WAIT_MS = 2000
const ANSWER_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2000
/** The collector will take them later. Source: opentelemetry.io/docs/specs/otlp */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

type Delivery = 'delivered' | 'refused' | 'later'

/** Spans wait in a queue with an end. While the collector is away they stay; what finds no room is dropped and counted. */
export function openTraceExporter(parts: ExporterParts): TraceExporter {
  const { service, waitMs = WAIT_MS } = parts
  const waiting: string[] = []
  let isAway = false
  let delivering: Promise<void> | undefined
  let delivered = 0
  let dropped = 0
  const deliver = openDelivery(parts)
  const deliverSome = async (signal: AbortSignal): Promise<boolean> => {
    const spans = waiting.slice(0, SPANS_AT_ONCE)
    if (spans.length === 0) return false
    const delivery = await deliver(writeRequest(service, spans), signal)
    isAway = delivery === 'later'
    if (isAway) return false
    waiting.splice(0, spans.length)
    if (delivery === 'delivered') delivered += spans.length
    else dropped += spans.length
    return true
  }
  const deliverAll = async (signal: AbortSignal): Promise<void> => {
    while (await deliverSome(signal));
  }
  const start = (): Promise<void> => {
    delivering ??= deliverAll(AbortSignal.timeout(ANSWER_TIMEOUT_MS)).finally(() => {
      delivering = undefined
    })
    return delivering
  }
  const stop = everyMs(waitMs, start)
  return {
    add(spans) {
      for (const span of spans)
        if (waiting.length < WAITING_SPANS_MAX) waiting.push(writeSpan(span))
        else dropped += 1
      if (waiting.length >= SPANS_AT_ONCE && !isAway) void start()
    },
    figures: () => ({ delivered, dropped, waiting: waiting.length }),
    async close() {
      const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
      await Promise.race([Promise.all([stop(), delivering]), aborted(signal)])
      if (!signal.aborted) await deliverAll(signal)
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Tells the log when the collector goes away and when it is back, not each time. */
function openDelivery({ target, send, log }: ExporterParts) {
  let isFailing = false
  return async (body: string, signal: AbortSignal): Promise<Delivery> => {
    const { delivery, reason } = await ask(send, target, { body, signal })
    if (reason !== undefined && !isFailing) log.warn('traces cannot be delivered', { reason })
    if (reason === undefined && isFailing) log.info('traces are delivered again')
    isFailing = reason !== undefined
    return delivery
  }
}

async function ask(
  send: Send,
  { url, headers }: TraceTarget,
  { body, signal }: { readonly body: string; readonly signal: AbortSignal },
): Promise<{ readonly delivery: Delivery; readonly reason?: string }> {
  const request = { url, headers: { ...headers, 'content-type': 'application/json' }, body }
  const sent = await send(request, {
    waiter: { signal },
    headersTimeoutMs: ANSWER_TIMEOUT_MS,
    proxy: undefined,
  })
  if (sent.kind === 'failure') return { delivery: 'later', reason: sent.failure.message }
  sent.response.cancel()
  const { status, ok } = sent.response
  if (ok) return { delivery: 'delivered' }
  return { delivery: RETRIED_STATUSES.has(status) ? 'later' : 'refused', reason: `status ${status}` }
}
