import { expect, test } from 'bun:test'
import { sleepMs } from '../core/clock.ts'
import { createShutdownGate, type DrainTimeouts, type ShutdownGate } from './graceful-shutdown.ts'

const QUIET_MS = 150
const REQUEST_INTERVAL_MS = 40

function send(gate: ShutdownGate, path: string): Response {
  gate.onRequest(new Request(`http://localhost${path}`))
  return gate.finalizeResponse(new Response('ok'))
}

/** Milliseconds until the gate is quiet, while a path is requested again and again. */
async function quietAfter(path: string, { quietMs, waitMsMax }: DrainTimeouts): Promise<number> {
  const gate = createShutdownGate()
  gate.startDraining()
  const requesting = new AbortController()
  const client = (async () => {
    for (; !requesting.signal.aborted; await sleepMs(REQUEST_INTERVAL_MS)) send(gate, path)
  })()
  const startedMs = performance.now()
  await gate.untilQuiet({ quietMs, waitMsMax })
  requesting.abort()
  await client
  return performance.now() - startedMs
}

test('closes the connection after each response once draining has started', () => {
  const gate = createShutdownGate()
  expect(send(gate, '/v1/models').headers.get('connection')).toBeNull()
  gate.startDraining()
  expect(send(gate, '/v1/models').headers.get('connection')).toBe('close')
})

test('is quiet when no request arrives for quietMs', async () => {
  const gate = createShutdownGate()
  gate.startDraining()
  const startedMs = performance.now()
  await gate.untilQuiet({ quietMs: QUIET_MS, waitMsMax: 10_000 })
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(QUIET_MS - 1)
})

test('waits for requests no longer than waitMsMax', async () => {
  const timeouts = { quietMs: 1000, waitMsMax: 2000 }
  expect(await quietAfter('/v1/models', timeouts)).toBeGreaterThanOrEqual(timeouts.waitMsMax - 1)
})

test.each(['/healthz', '/readyz', '/metrics'])('does not wait for probes of %s', async path => {
  expect(await quietAfter(path, { quietMs: QUIET_MS, waitMsMax: 60_000 })).toBeLessThan(30_000)
})
