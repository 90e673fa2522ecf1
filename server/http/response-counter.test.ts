import { expect, test } from 'bun:test'
import { createMetricsRegistry } from '../core/telemetry/metrics.ts'
import { readExposition } from '../testing/read-exposition.ts'
import { createResponseCounter } from './relay-handler.ts'

test('counts responses by status and shows waiting requests', () => {
  const metrics = createMetricsRegistry()
  const responses = createResponseCounter(metrics)
  for (const status of [200, 429, 200]) {
    responses.begin()
    responses.end(status)
  }
  responses.begin()
  expect(readExposition(metrics.render())).toMatchObject([
    { name: 'tollgate_relay_requests_total', labels: { status: '200' }, value: 2 },
    { name: 'tollgate_relay_requests_total', labels: { status: '429' }, value: 1 },
    { name: 'tollgate_relay_requests_waiting', value: 1 },
  ])
})
