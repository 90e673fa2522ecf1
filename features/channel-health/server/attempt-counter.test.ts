import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { AttemptsFailed } from '#server/relay/routing/attempts.ts'
import { AttemptCounter, readChannelHealth } from './attempt-counter.ts'

const HOUR = 3600
const NOW = 1_790_000_000 - (1_790_000_000 % HOUR) + 20 * 60

let opened: OpenDatabase
let counter: AttemptCounter
let now = NOW
let restoreClock: () => unknown
beforeEach(async () => {
  now = NOW
  restoreClock = setClock({ nowMs: () => now * 1000, elapsedMs: () => 0 })
  opened = await openTestDatabase()
  counter = new AttemptCounter(opened.db, noopLogger)
})
afterEach(async () => {
  await opened.close()
  restoreClock()
})

const attempt = (channelId: number, status: number, code?: string) => ({
  channelId,
  channelName: 'lab',
  ms: 5,
  status,
  ...(code && { code }),
})
type Attempt = ReturnType<typeof attempt>

const outcomeOf = (ending: 'complete' | 'client-left' | 'upstream-broke') =>
  ({ ending, usage: { input: 1 }, provenance: 'upstream', firstOutputMs: undefined }) as never

const complete = (attempts: readonly Attempt[], ending: Parameters<typeof outcomeOf>[0] = 'complete') =>
  counter.requestCompleted({ trace: { attempts }, outcome: outcomeOf(ending) })
const fail = (attempts: readonly Attempt[]) =>
  counter.requestFailed({
    error: new AttemptsFailed(
      { status: 503, code: 'x', message: 'x', messageZh: 'x' },
      { candidates: [], attempts },
    ),
  })
const health = async () => {
  await counter.write()
  return readChannelHealth(opened.db)
}

test('counts the calls of a dead channel for which another one responds', async () => {
  for (let count = 0; count < 3; count += 1) complete([attempt(1, 401, 'invalid_api_key'), attempt(2, 200)])
  expect(await health()).toMatchObject([
    {
      id: 1,
      state: 'failing',
      attempts: 3,
      failed: 3,
      last_error: '401 invalid_api_key',
      last_error_at: NOW,
    },
    { id: 2, state: 'healthy', attempts: 3, failed: 0, last_error: '', last_error_at: 0 },
  ])
})

/** The first call of a channel. */
const FIRST_CALLS = [
  ['a rejected key, which is not called again', 401, 'failing'],
  ['an account without money', 402, 'failing'],
  ['a key without permission', 403, 'failing'],
  ['a rate limit', 429, 'degraded'],
  ['an error of the provider', 500, 'degraded'],
] as const

test.each(FIRST_CALLS)('judges a channel by a single call: %s', async (_, status, state) => {
  complete([attempt(1, status, 'x'), attempt(2, 200)])
  expect(await health()).toMatchObject([{ state }, { state: 'healthy' }])
})

/** How one more call beside nine successful ones counts. */
const CALLS: readonly (readonly [what: string, send: () => void, attempts: number, failed: number])[] = [
  ['an error of the provider', () => fail([attempt(1, 503, 'x')]), 10, 1],
  ['a rejected key', () => fail([attempt(1, 403, 'x')]), 10, 1],
  ['an account without money', () => fail([attempt(1, 402, 'x')]), 10, 1],
  ['a rate limit', () => fail([attempt(1, 429, 'x')]), 10, 1],
  ['a model that the account lacks', () => fail([attempt(1, 404, 'x')]), 10, 1],
  ['a request that the provider rejects', () => fail([attempt(1, 400, 'x')]), 10, 0],
  ['a response that breaks off', () => complete([attempt(1, 200)], 'upstream-broke'), 10, 1],
  ['a client that leaves a response', () => complete([attempt(1, 200)], 'client-left'), 10, 0],
  ['a client that leaves before', () => fail([attempt(1, 499, 'x')]), 9, 0],
  ['a skipped channel', () => fail([attempt(1, 0, 'x')]), 9, 0],
  ['a request that reached no channel', () => counter.requestFailed({ error: new Error('x') }), 9, 0],
]

test.each(CALLS)('counts %s', async (_, send, attempts, failed) => {
  for (let count = 0; count < 9; count += 1) complete([attempt(1, 200)])
  send()
  expect(await health()).toMatchObject([{ attempts, failed, state: failed > 0 ? 'degraded' : 'healthy' }])
})

test('judges by the last half hour, and shows 24 hours of which older ones are deleted', async () => {
  now = NOW - 30 * HOUR
  complete([attempt(1, 200)])
  expect(await health()).toMatchObject([{ attempts: 1, state: 'healthy' }])
  now = NOW - 5 * HOUR
  fail([attempt(1, 500, 'x'), attempt(1, 500, 'y')])
  await counter.write()
  now = NOW
  const [before] = await health()
  expect(before).toMatchObject({ state: 'idle', attempts: 2, failed: 2, last_error: '500 y' })
  expect(before?.hours).toHaveLength(24)
  expect(before?.hours[18]).toEqual({ start: NOW - 20 * 60 - 5 * HOUR, attempts: 2, failed: 2 })
  complete([attempt(1, 200)])
  expect(await health()).toMatchObject([{ state: 'healthy', attempts: 3, failed: 2 }])
})

test('adds up what several processes count', async () => {
  const other = new AttemptCounter(opened.db, noopLogger)
  complete([attempt(1, 200)])
  other.requestFailed({
    error: new AttemptsFailed(
      { status: 503, code: 'x', message: 'x', messageZh: 'x' },
      { candidates: [], attempts: [attempt(1, 503, 'later')] },
    ),
  })
  await other.close()
  expect(await health()).toMatchObject([{ attempts: 2, failed: 1, last_error: '503 later' }])
})

test('a key that is rejected after many successes is failing at once, until a call succeeds again', async () => {
  for (let count = 0; count < 500; count += 1) complete([attempt(1, 200)])
  now += 1
  complete([attempt(1, 401, 'invalid_api_key'), attempt(2, 200)])
  expect(await health()).toMatchObject([
    { id: 1, state: 'failing' },
    { id: 2, state: 'healthy' },
  ])
  await counter.write()
  now += 1
  complete([attempt(1, 200)])
  expect(await health()).toMatchObject([{ id: 1, state: 'healthy', failed: 1 }, { id: 2 }])
})

test('an error of the provider after many successes is not yet failing', async () => {
  for (let count = 0; count < 15; count += 1) complete([attempt(1, 200)])
  now += 1
  complete([attempt(1, 500, 'x')])
  expect(await health()).toMatchObject([{ state: 'degraded' }])
})
