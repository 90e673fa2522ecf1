import { afterEach, beforeEach, expect, test } from 'bun:test'
import { previewRoute } from '#features/channels/server/preview.ts'
import { sleepMs } from '#server/core/clock.ts'
import { send } from '#server/http-client/send.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { readNamespace, setScenario } from '../harness/lab-namespace.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { waitUntil } from '../harness/wait-until.ts'

const CLIENTS = 32
const REQUESTS = 600
const LANE = 'moody'
const DEADLINE_MS = 3_000
/** Delay between the starts of two clients, in which a healthy channel completes a response. */
const BETWEEN_MS = 20
/** Calls that may wait at once for the first byte of a channel, plus one chosen at the same moment. */
const WAITING_AT_ONCE_MAX = 6
const BODY = { model: 'lab', stream: true, messages: [{ role: 'user', content: 'hello' }] }

let lab: Lab
let relay: TestRelay
let key: string

beforeEach(async () => {
  lab = await startLab()
  relay = await TestRelay.open({
    send,
    options: { RetryTimes: 2 },
    timeouts: { streamHeadersMs: DEADLINE_MS },
  })
  key = await relay.addToken()
})
afterEach(async () => {
  await relay.close()
  await lab.stop()
})

const addChannel = (name: string, script: string) =>
  relay.addChannel({ name, base_url: `${lab.url}/fault/${script}` })

/** Skip reason in the route preview. */
const skipReasonOf = (name: string) =>
  previewRoute(relay.context, { group: 'default', model: 'lab' }).candidates.find(
    ({ channelName }) => channelName === name,
  )?.skipReason

/** Milliseconds until a complete stream has ended. */
async function ask(): Promise<number> {
  const startedMs = performance.now()
  const response = await relay.request('/v1/chat/completions', key, BODY)
  expect(await response.text()).toEndWith('data: [DONE]\n\n')
  return performance.now() - startedMs
}

test('with one of three channels stalled from the start, at most six requests wait for its deadline and all are served', async () => {
  await setScenario(lab, LANE, 'hang')
  await relay.addChannel({ name: 'silent', base_url: `${lab.url}/lane/${LANE}` })
  for (const name of ['well', 'too']) await addChannel(name, 'tokens-3')
  let sent = 0
  let served = 0
  const startedMs = performance.now()
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    await sleepMs(index * BETWEEN_MS)
    while (sent < REQUESTS) {
      sent += 1
      await ask()
      served += 1
    }
  })
  await Promise.all(clients)
  expect(served).toBeGreaterThanOrEqual(REQUESTS)
  // When the first calls have failed at their deadline, the channel gets one call at a time.
  const laterCalls = Math.floor((performance.now() - startedMs) / DEADLINE_MS)
  expect((await readNamespace(lab, LANE)).requests).toBeLessThanOrEqual(WAITING_AT_ONCE_MAX + laterCalls)
})

test('skips a channel after it stalls for a second and uses it again after its first byte', async () => {
  await setScenario(lab, LANE, 'tokens-3')
  await relay.addChannel({ name: 'moody', priority: 9, base_url: `${lab.url}/lane/${LANE}` })
  await addChannel('well', 'tokens-3')
  await ask()
  await setScenario(lab, LANE, 'hang')
  const waiting = Array.from({ length: 3 }, ask)
  expect(skipReasonOf('moody')).toBeUndefined()
  await waitUntil(
    { description: 'it to be suspect', timeoutMs: DEADLINE_MS },
    () => skipReasonOf('moody') === 'silent',
  )
  for (let count = 0; count < 20; count += 1) expect(await ask()).toBeLessThan(DEADLINE_MS)
  expect((await readNamespace(lab, LANE)).requests).toBe(1 + waiting.length)
  await Promise.all(waiting)
  await setScenario(lab, LANE, 'tokens-3')
  await ask()
  expect(skipReasonOf('moody')).toBeUndefined()
  expect((await readNamespace(lab, LANE)).finished).toBe(2)
})
