import type { Config } from '../config/config.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { openTraceExporter, type TraceExporter } from '../integrations/trace-exporter.ts'
import { openRelayMetrics, type RelayMetrics } from '../relay/telemetry/metrics.ts'
import { type Watch, watchTogether } from '../relay/telemetry/observer.ts'
import { watchForSpans } from '../relay/telemetry/spans.ts'
import { openTracing, type Tracing } from '../relay/telemetry/trace-context.ts'
import { openSend } from '../relay/upstream/send.ts'

interface SeeingParts {
  readonly config: Config
  readonly version: string
  /** Names this process among the others. */
  readonly processId: string
  readonly log: Log
}

/** All that looks at requests from outside their way. Workers share a port, so their figures must be told apart. */
export interface Seeing {
  readonly relayMetrics: RelayMetrics
  readonly watch: Watch
  readonly tracing: Tracing | undefined
  close(): Promise<void>
}

export function openSeeing({ config, version, processId, log }: SeeingParts): Seeing {
  const relayMetrics = openRelayMetrics(config.workers > 1 ? { process: process.pid } : {})
  if (!config.tracing)
    return { relayMetrics, watch: relayMetrics, tracing: undefined, close: async () => undefined }
  const { target, serviceName } = config.tracing
  const service = { name: serviceName, version, instance: processId }
  const exporter = openTraceExporter({ target, service, send: openSend(config), log })
  countSpans(relayMetrics.metrics, exporter)
  return {
    relayMetrics,
    watch: watchTogether([relayMetrics, watchForSpans(exporter.add)]),
    tracing: openTracing(config.tracing),
    close: exporter.close,
  }
}

function countSpans(metrics: Metrics, { figures }: TraceExporter): void {
  metrics.counter('tollgate_trace_spans_total', 'Spans of traces, by what became of them.', () => [
    [{ result: 'delivered' }, figures().delivered],
    [{ result: 'dropped' }, figures().dropped],
  ])
  metrics.gauge('tollgate_trace_spans_waiting', 'Spans not delivered yet.', () => figures().waiting)
}
