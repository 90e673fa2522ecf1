import type { Config } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import type { MetricsRegistry } from '../core/metrics.ts'
import { createTraceExporter, type TraceExporter } from '../integrations/trace-exporter.ts'
import { createTracing, type Tracing } from '../relay/request/trace-context.ts'
import { createRelayMetrics, type RelayMetrics } from '../relay/telemetry/metrics.ts'
import { combineObservers, type RelayObserver } from '../relay/telemetry/observer.ts'
import { createSpanObserver } from '../relay/telemetry/spans.ts'
import { createSend } from '../relay/upstream/send.ts'

interface TelemetryOptions {
  readonly config: Config
  readonly version: string
  /** Identifies this process among those of the service. */
  readonly processId: string
  readonly log: Logger
}

/** Metrics and traces of relayed requests. */
export interface Telemetry {
  readonly relayMetrics: RelayMetrics
  readonly observer: RelayObserver
  readonly tracing: Tracing | undefined
  close(): Promise<void>
}

export function createTelemetry({ config, version, processId, log }: TelemetryOptions): Telemetry {
  // Workers share a port, so a scrape reaches any of them: a label keeps their metrics apart.
  const relayMetrics = createRelayMetrics(config.workers > 1 ? { process: process.pid } : {})
  if (!config.tracing)
    return { relayMetrics, observer: relayMetrics, tracing: undefined, close: async () => undefined }
  const { target, serviceName } = config.tracing
  const service = { name: serviceName, version, instance: processId }
  const exporter = createTraceExporter({ target, service, send: createSend(config), log })
  addSpanMetrics(relayMetrics.metrics, exporter)
  return {
    relayMetrics,
    observer: combineObservers([relayMetrics, createSpanObserver(exporter.add)]),
    tracing: createTracing(config.tracing),
    close: exporter.close,
  }
}

function addSpanMetrics(metrics: MetricsRegistry, { stats }: TraceExporter): void {
  metrics.counter('tollgate_trace_spans_total', 'Trace spans by result.', () => [
    [{ result: 'delivered' }, stats().delivered],
    [{ result: 'dropped' }, stats().dropped],
  ])
  metrics.gauge('tollgate_trace_spans_waiting', 'Trace spans that wait for delivery.', () => stats().waiting)
}
