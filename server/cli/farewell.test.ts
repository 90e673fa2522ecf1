import { expect, test } from 'bun:test'
import { sleepMs } from '../core/clock.ts'
import { type Farewell, openFarewell, type Patience } from './farewell.ts'

const QUIET_MS = 150
const BETWEEN_MS = 40

function ask(farewell: Farewell, path: string): Response {
  farewell.note(new Request(`http://localhost${path}`))
  return farewell.seal(new Response('answer'))
}

/** Milliseconds until it was quiet, while a path is asked for again and again. */
async function quietAfter(path: string, { quietMs, waitMsMax }: Patience): Promise<number> {
  const farewell = openFarewell()
  farewell.begin()
  const asking = new AbortController()
  const client = (async () => {
    for (; !asking.signal.aborted; await sleepMs(BETWEEN_MS)) ask(farewell, path)
  })()
  const startedMs = performance.now()
  await farewell.untilQuiet({ quietMs, waitMsMax })
  asking.abort()
  await client
  return performance.now() - startedMs
}

test('an answer is the last of its connection from the beginning of the end on', () => {
  const farewell = openFarewell()
  expect(ask(farewell, '/v1/models').headers.get('connection')).toBeNull()
  farewell.begin()
  expect(ask(farewell, '/v1/models').headers.get('connection')).toBe('close')
})

test('it is quiet when nobody came for so long', async () => {
  const farewell = openFarewell()
  farewell.begin()
  const startedMs = performance.now()
  await farewell.untilQuiet({ quietMs: QUIET_MS, waitMsMax: 10_000 })
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(QUIET_MS - 1)
})

test('who comes is waited for, but not without end', async () => {
  const patience = { quietMs: 1000, waitMsMax: 2000 }
  expect(await quietAfter('/v1/models', patience)).toBeGreaterThanOrEqual(patience.waitMsMax - 1)
})

test.each(['/healthz', '/readyz', '/metrics'])('a look at %s keeps nobody', async path => {
  expect(await quietAfter(path, { quietMs: QUIET_MS, waitMsMax: 60_000 })).toBeLessThan(30_000)
})
