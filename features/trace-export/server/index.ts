import type { MetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { defineFeature } from '#server/feature.ts'
import { createSpanObserver } from './spans.ts'
import { createTraceExporter, type TraceExporter } from './trace-exporter.ts'

export const feature = defineFeature({
  start({ tracing, installation, processId, send, log, metrics }) {
    if (!tracing) return {}
    const service = { name: tracing.serviceName, version: installation.version, instance: processId }
    const exporter = createTraceExporter({ target: tracing.target, service, send, log })
    addSpanMetrics(metrics, exporter)
    return { observer: { ...createSpanObserver(exporter.add), close: exporter.close } }
  },
})

function addSpanMetrics(metrics: MetricsRegistry, { stats }: TraceExporter): void {
  metrics.counter('tollgate_trace_spans_total', 'Trace spans by result.', () => [
    [{ result: 'delivered' }, stats().delivered],
    [{ result: 'dropped' }, stats().dropped],
  ])
  metrics.gauge('tollgate_trace_spans_waiting', 'Trace spans that wait for delivery.', () => stats().waiting)
}
