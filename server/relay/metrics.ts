import { openMetrics } from '../kernel/metrics.ts'
import type { Door } from './door.ts'

type Answering = (request: Request, door: Door) => Promise<Response>

/** What the relay tells Prometheus of this process. */
export interface RelayMetrics {
  /** The same, counted. */
  counted(answer: Answering): Answering
  render(): string
}

export function openRelayMetrics(): RelayMetrics {
  const metrics = openMetrics()
  const answeredByStatus = new Map<number, number>()
  metrics.counter('tollgate_relay_requests_total', 'Relay requests answered, by HTTP status.', () =>
    [...answeredByStatus].map(([status, count]) => [{ status }, count] as const),
  )
  let beingAnswered = 0
  metrics.gauge(
    'tollgate_relay_requests_waiting',
    'Relay requests whose answer has not begun.',
    () => beingAnswered,
  )
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  return {
    counted: answer => async (request, door) => {
      beingAnswered += 1
      try {
        const response = await answer(request, door)
        const { status } = response
        answeredByStatus.set(status, (answeredByStatus.get(status) ?? 0) + 1)
        return response
      } finally {
        beingAnswered -= 1
      }
    },
    render: metrics.render,
  }
}
