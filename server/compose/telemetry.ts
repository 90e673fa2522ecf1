import type { Config } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import type { MetricsRegistry } from '../core/metrics.ts'
import { openTraceExporter, type TraceExporter } from '../integrations/trace-exporter.ts'
import { createRelayMetrics, type RelayMetrics } from '../relay/telemetry/metrics.ts'
import { type RelayObserver, combineObservers } from '../relay/telemetry/observer.ts'
import { createSpanObserver } from '../relay/telemetry/spans.ts'
import { createTracing, type Tracing } from '../relay/request/trace-context.ts'
import { openSend } from '../relay/upstream/send.ts'

interface SeeingParts {
  readonly config: Config
  readonly version: string
  /** Names this process among the others. */
  readonly processId: string
  readonly log: Logger
}

/** All that looks at requests from outside their way. Workers share a port, so their figures must be told apart. */
export interface Seeing {
  readonly relayMetrics: RelayMetrics
  readonly watch: RelayObserver
  readonly tracing: Tracing | undefined
  close(): Promise<void>
}

export function openSeeing({ config, version, processId, log }: SeeingParts): Seeing {
  const relayMetrics = createRelayMetrics(config.workers > 1 ? { process: process.pid } : {})
  if (!config.tracing)
    return { relayMetrics, watch: relayMetrics, tracing: undefined, close: async () => undefined }
  const { target, serviceName } = config.tracing
  const service = { name: serviceName, version, instance: processId }
  const exporter = openTraceExporter({ target, service, send: openSend(config), log })
  countSpans(relayMetrics.metrics, exporter)
  return {
    relayMetrics,
    watch: combineObservers([relayMetrics, createSpanObserver(exporter.add)]),
    tracing: createTracing(config.tracing),
    close: exporter.close,
  }
}

function countSpans(metrics: MetricsRegistry, { figures }: TraceExporter): void {
  metrics.counter('tollgate_trace_spans_total', 'Spans of traces, by what became of them.', () => [
    [{ result: 'delivered' }, figures().delivered],
    [{ result: 'dropped' }, figures().dropped],
  ])
  metrics.gauge('tollgate_trace_spans_waiting', 'Spans not delivered yet.', () => figures().waiting)
}
