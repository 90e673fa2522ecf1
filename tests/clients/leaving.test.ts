import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/accounts/users.ts'
import { sleepMs } from '../../server/core/clock.ts'
import { openChat, requestIdOf } from '../harness/call-chat.ts'
import { expectedCharge, type PriceInThousandths, priceOptions } from '../harness/expected-charge.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace, waitUntilIdle } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const VENDORS = ['openai', 'anthropic', 'gemini'] as const
const PRICE: PriceInThousandths = {
  model: 3000,
  completion: 4000,
  cached: 1000,
  cacheWrite: 1000,
  group: 1000,
}
const ARRIVAL_TIMEOUT_MS = 5_000
const RANDOM_LEAVERS = 150
const STAY_MS_MAX = 120

let site: Site
let key: string

beforeAll(async () => {
  site = await startSite()
  const prices = VENDORS.map(vendor => priceOptions(vendor, PRICE))
  await setOptions(site.root, {
    ModelRatio: Object.assign({}, ...prices.map(({ ModelRatio }) => ModelRatio)),
    CompletionRatio: Object.assign({}, ...prices.map(({ CompletionRatio }) => CompletionRatio)),
  })
  for (const vendor of VENDORS)
    await addLabChannel(site.root, site.lab, { vendor, models: [vendor], namespace: vendor })
  key = (await addToken(site.root)).key
})

beforeEach(() => fetch(`${site.lab.url}/control`, { method: 'DELETE' }))
afterAll(() => site?.stop())

const call = (model: string, script: string, isStream: boolean, signal: AbortSignal) =>
  openChat({
    url: site.gateway.url,
    key,
    signal,
    body: { model, stream: isStream, messages: [{ role: 'user', content: `hello [lab: ${script}]` }] },
  })

/** Disconnects after this many events of a stream. Returns the request id. */
async function leaveAfter(events: number, model: string, script: string): Promise<string> {
  const leaving = new AbortController()
  const reply = await call(model, script, true, leaving.signal)
  let received = 0
  for await (const bytes of reply.body ?? []) {
    received += new TextDecoder().decode(bytes).split('\n\n').length - 1
    if (received >= events) break
  }
  leaving.abort()
  return requestIdOf(reply)
}

/** Disconnects once the upstream has the request. */
async function leaveWaiting(model: string, script: string, isStream: boolean): Promise<void> {
  const leaving = new AbortController()
  const reply = call(model, script, isStream, leaving.signal).then(
    response => response.text(),
    () => 'left',
  )
  await waitUntil({ description: 'the upstream to be asked', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    const { inFlight } = await readNamespace(site.lab, model)
    return inFlight === 1
  })
  leaving.abort()
  await reply
}

describe.each(VENDORS)('through %s', vendor => {
  test.each(['pace-10+tokens-500', 'stall-8', 'chatter-8'])(
    'a disconnect during a stream (%s) cancels the upstream call and charges the prompt and the delivered tokens',
    async script => {
      const requestId = await leaveAfter(6, vendor, script)
      expect(await waitUntilIdle(site.lab, vendor)).toMatchObject({ requests: 1, aborted: 1 })
      const row = await waitForLog(site.root, requestId)
      expect(row).toMatchObject({ type: 2, detail: { ending: 'client-left', provenance: 'estimated' } })
      expect(row.completion_tokens).toBeGreaterThan(0)
      expect(row.completion_tokens).toBeLessThan(60)
      const tokens = { prompt: row.prompt_tokens, completion: row.completion_tokens }
      expect(row.quota).toBe(expectedCharge(PRICE, tokens))
    },
  )

  test.each([
    ['hang', false],
    ['hang', true],
    ['stall-0', true],
    ['stall-0', false],
    ['chatter-0', true],
    ['slow-headers-5000', false],
  ] as const)(
    'a disconnect before any output (%s, streamed: %p) is not charged',
    async (script, isStream) => {
      const before = await site.root.call(getSelf)
      await leaveWaiting(vendor, script, isStream)
      expect(await waitUntilIdle(site.lab, vendor)).toMatchObject({ requests: 1, aborted: 1 })
      const audit = await waitUntil(
        { description: 'the hold to be closed', timeoutMs: ARRIVAL_TIMEOUT_MS },
        async () => {
          const after = await site.root.call(getSelf)
          return after.quota === before.quota && after
        },
      )
      expect(audit.used_quota).toBe(before.used_quota)
    },
  )
})

test(`${RANDOM_LEAVERS} disconnects at random moments leave no open hold and a balanced ledger`, async () => {
  await Promise.all(
    Array.from({ length: RANDOM_LEAVERS }, async (_, index) => {
      const leaving = new AbortController()
      const model = VENDORS[index % VENDORS.length] ?? 'openai'
      const reading = call(model, 'pace-5+tokens-30', index % 4 > 0, leaving.signal).then(reply =>
        reply.text(),
      )
      await Promise.race([reading.catch(() => 'left'), sleepMs(Math.random() * STAY_MS_MAX)])
      leaving.abort()
      await reading.catch(() => 'left')
    }),
  )
  for (const vendor of VENDORS) await waitUntilIdle(site.lab, vendor)
  const audit = await waitUntil(
    { description: 'all holds to be closed', timeoutMs: ARRIVAL_TIMEOUT_MS },
    async () => {
      const report = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
      return report.openHolds === 0 && report
    },
  )
  expect(audit).toMatchObject({ code: 0, drift: 0 })
  expect(site.gateway.output()).not.toContain('"level":"error"')
})
