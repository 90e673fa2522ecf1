import type { Config } from '../config.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { openTraceExporter, type TraceExporter } from '../outside/trace-exporter.ts'
import { openRelayMetrics, type RelayMetrics } from '../relay/seeing/relay-metrics.ts'
import { openTracing, type Tracing } from '../relay/seeing/trace-context.ts'
import { type Watch, watchTogether } from '../relay/seeing/watch.ts'
import { watchForSpans } from '../relay/seeing/watch-for-spans.ts'
import { openSend } from '../relay/send.ts'

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
