import type { MetricsRegistry } from '../core/telemetry/metrics.ts'

/** Counts relay responses. Every `begin` is followed by one `end`. */
export interface ResponseCounter {
  begin(): void
  end(httpStatus: number): void
}

export function createResponseCounter(metrics: MetricsRegistry): ResponseCounter {
  const countByStatus = new Map<number, number>()
  metrics.counter('tollgate_relay_requests_total', 'Relay responses by HTTP status.', () =>
    [...countByStatus].map(([status, count]) => [{ status }, count] as const),
  )
  let waiting = 0
  metrics.gauge(
    'tollgate_relay_requests_waiting',
    'Relay requests whose response has not begun.',
    () => waiting,
  )
  return {
    begin() {
      waiting += 1
    },
    end(status) {
      waiting -= 1
      countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1)
    },
  }
}
