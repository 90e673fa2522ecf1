import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToken } from '#contract/entities/token.ts'
import { sleepMs } from '#server/core/clock.ts'
import { errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { waitForLog } from '../harness/find-log.ts'
import { inDatabase } from '../harness/in-database.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { createFaultSetup, type FaultSetup, HELD, LAB, PRICE } from './fault-setup.ts'

const WAIT_MS_MAX = 90_000
const PAUSE_MS = 1_000
const STREAMS = 12
const DAY_SECONDS = 86_400
const SLOW_STREAM = 'pace-20+tokens-60'
/** Preloaded into the gateway: SIGUSR2 moves its clock a day forward, SIGWINCH a day back. */
const JUMPING_CLOCK = `
  const now = Date.now
  let offset = 0
  Date.now = () => now() + offset
  process.on('SIGUSR2', () => { offset += ${DAY_SECONDS * 1000} })
  process.on('SIGWINCH', () => { offset -= ${DAY_SECONDS * 1000} })
`

const folder = makeTemporaryFolder()
let stage: FaultSetup

beforeAll(async () => {
  const clock = join(folder.path, 'jumping-clock.ts')
  writeFileSync(clock, JUMPING_CLOCK)
  stage = await createFaultSetup({ environment: { BUN_OPTIONS: `--preload=${clock}` } })
})
afterAll(async () => {
  await stage?.stop()
  folder.remove()
})

const signal = (name: NodeJS.Signals) => process.kill(stage.site.gateway.pid, name)

/** Starts streams and waits until they reach the upstream. */
async function startStreams() {
  const before = await stage.charged()
  const streams = Array.from({ length: STREAMS }, () =>
    stage.ask(LAB, { isStream: true, script: SLOW_STREAM }),
  )
  await waitUntil({ description: 'the streams', timeoutMs: WAIT_MS_MAX }, async () => {
    return (await readNamespace(stage.site.lab, LAB)).inFlight === STREAMS
  })
  return {
    /** Expects every stream to complete with one charge each. */
    async expectServed() {
      expect((await Promise.all(streams)).filter(isCompleteStream)).toHaveLength(STREAMS)
      expect(await stage.charged()).toBe(before + STREAMS * PRICE)
    },
  }
}

test('a paused process completes its streams after it resumes', async () => {
  const streams = await startStreams()
  signal('SIGSTOP')
  await sleepMs(PAUSE_MS)
  signal('SIGCONT')
  await streams.expectServed()
  expect((await stage.ask(LAB)).status).toBe(200)
})

test('a clock that jumps a day forward ends no stream and expires only what has an expiry date', async () => {
  const { root, gateway } = stage.site
  const { key } = await root.call(createToken, {
    body: { name: 'for an hour', unlimited_quota: true, expired_time: Math.floor(Date.now() / 1000) + 3600 },
  })
  await setOptions(root, { ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1000 })
  const streams = await startStreams()
  signal('SIGUSR2')
  const late = await stage.ask(LAB, { key })
  expect([late.status, errorOf(late).code]).toEqual([401, 'token_expired'])
  await streams.expectServed()
  const response = await stage.ask(LAB)
  expect(response.status).toBe(200)
  expect((await waitForLog(root, response.requestId)).created_at).toBeGreaterThan(
    Date.now() / 1000 + DAY_SECONDS - 60,
  )
  expect(await respondsOk(`${gateway.url}/readyz`)).toBe(true)
})

test('a clock set back by a day ends no stream and locks nobody out', async () => {
  await setOptions(stage.site.root, { ModelRequestRateLimitSuccessCount: STREAMS + 1 })
  const streams = await startStreams()
  signal('SIGWINCH')
  await streams.expectServed()
  const responses = await Promise.all(Array.from({ length: STREAMS }, () => stage.ask(LAB)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  await setOptions(stage.site.root, { ModelRequestRateLimitEnabled: false })
})

test('while another program locks the database file, rejects new requests after 5 s and completes active ones', async () => {
  const before = await stage.charged()
  const held = stage.upstream.holdResponses()
  const streaming = stage.ask(HELD)
  await waitUntil(
    { description: 'the call at the provider', timeoutMs: WAIT_MS_MAX },
    () => held.count() === 1,
  )
  const { rejected, waiting } = await inDatabase(stage.site.gateway, db =>
    db.transaction().execute(async () => {
      const calling = stage.ask(LAB)
      expect(await respondsOk(`${stage.site.gateway.url}/healthz`)).toBe(true)
      held.release()
      return { rejected: await calling, waiting: stage.ask(LAB) }
    }),
  )
  expect([rejected.status, errorOf(rejected).code]).toEqual([503, 'storage_failed'])
  expect(errorOf(rejected).message).toContain('nothing was charged')
  expect((await streaming).status).toBe(200)
  expect((await waiting).status).toBe(200)
  expect(await stage.charged()).toBe(before + 2 * PRICE)
})

test('leaves a balanced ledger without open holds', () => stage.expectBalancedLedger())
