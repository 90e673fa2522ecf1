import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import { openChat, requestIdOf } from '../harness/call-chat.ts'
import { expectedCharge, type PriceInThousandths, priceOptions } from '../harness/expected-charge.ts'
import { type FoundLog, newestCharge, waitForLog } from '../harness/find-log.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace, waitUntilIdle } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const PROVIDERS = ['openai', 'anthropic', 'gemini'] as const
const PRICE: PriceInThousandths = {
  model: 3000,
  completion: 4000,
  cached: 1000,
  cacheWrite: 1000,
  group: 1000,
}
const ARRIVAL_TIMEOUT_MS = 20_000
const STOP_MS_MAX = 5_000
const RANDOM_LEAVERS = 150
const STAY_MS_MAX = 120

let site: Site
let key: string

beforeAll(async () => {
  site = await startSite()
  const prices = PROVIDERS.map(provider => priceOptions(provider, PRICE))
  await setOptions(site.root, {
    ModelRatio: Object.assign({}, ...prices.map(({ ModelRatio }) => ModelRatio)),
    CompletionRatio: Object.assign({}, ...prices.map(({ CompletionRatio }) => CompletionRatio)),
  })
  for (const provider of PROVIDERS)
    await addLabChannel(site.root, site.lab, { provider, models: [provider], namespace: provider })
  key = (await addToken(site.root)).key
})

beforeEach(() => fetch(`${site.lab.url}/control`, { method: 'DELETE' }))
afterAll(() => site?.stop())

/** The provider works on its response. In the lab, Gemini sends the headers of a stream with its first event. */
const WORKING = [
  ['hang', false],
  ['stall-0', true],
  ['stall-0', false],
  ['chatter-0', true],
  ['slow-headers-5000', false],
] as const

interface LabCall {
  readonly model: string
  readonly script: string
  readonly isStream: boolean
  readonly gateway?: { readonly url: string; readonly key: string }
}

function call({ model, script, isStream, gateway }: LabCall, signal: AbortSignal): Promise<Response> {
  const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
  return openChat({
    url: site.gateway.url,
    key,
    ...gateway,
    signal,
    body: { model, stream: isStream, messages },
  })
}

/** Disconnects after this many events of a stream. Returns the request id. */
async function leaveAfter(events: number, model: string, script: string): Promise<string> {
  const leaving = new AbortController()
  const reply = await call({ model, script, isStream: true }, leaving.signal)
  let received = 0
  for await (const bytes of reply.body ?? []) {
    received += new TextDecoder().decode(bytes).split('\n\n').length - 1
    if (received >= events) break
  }
  leaving.abort()
  return requestIdOf(reply)
}

/** Disconnects once the upstream has the request. */
async function leaveWaiting(waiting: LabCall): Promise<void> {
  const leaving = new AbortController()
  const reply = call(waiting, leaving.signal).then(
    response => response.text(),
    () => 'left',
  )
  await waitUntil({ description: 'the upstream to be asked', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    const { inFlight } = await readNamespace(site.lab, waiting.model)
    return inFlight === 1
  })
  leaving.abort()
  await reply
}

/** Runs `leave` and waits for the log row of its request. */
async function rowAfter(leave: () => Promise<unknown>): Promise<FoundLog> {
  const before = await newestCharge(site.root)
  await leave()
  return waitUntil({ description: 'the request to be charged', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    const row = await newestCharge(site.root)
    return row !== undefined && row.id !== before?.id && row
  })
}

describe.each(PROVIDERS)('through %s, when responses are not read on', provider => {
  beforeAll(() => setOptions(site.root, { DisconnectReadSeconds: 0 }))

  test.each(['pace-10+tokens-500', 'stall-8', 'chatter-8'])(
    'a disconnect during a stream (%s) cancels the upstream call and charges the prompt and the delivered tokens',
    async script => {
      const requestId = await leaveAfter(6, provider, script)
      expect(await waitUntilIdle(site.lab, provider)).toMatchObject({ requests: 1, aborted: 1 })
      const row = await waitForLog(site.root, requestId)
      expect(row).toMatchObject({ type: 2, detail: { ending: 'client-left', provenance: 'estimated' } })
      expect(row.completion_tokens).toBeGreaterThan(0)
      expect(row.completion_tokens).toBeLessThan(60)
      const tokens = { prompt: row.prompt_tokens, completion: row.completion_tokens }
      expect(row.quota).toBe(expectedCharge(PRICE, tokens))
    },
  )

  test('a disconnect before the provider begins a stream is not charged', async () => {
    const before = await site.root.call(getSelf)
    await leaveWaiting({ model: provider, script: 'hang', isStream: true })
    expect(await waitUntilIdle(site.lab, provider)).toMatchObject({ requests: 1, aborted: 1 })
    const audit = await waitUntil(
      { description: 'the hold to be closed', timeoutMs: ARRIVAL_TIMEOUT_MS },
      async () => {
        const after = await site.root.call(getSelf)
        return after.quota === before.quota && after
      },
    )
    expect(audit.used_quota).toBe(before.used_quota)
  })

  test.each(WORKING.filter(([, isStream]) => !isStream || provider !== 'gemini'))(
    'a disconnect while the provider works on its response (%s, streamed: %p) charges the prompt',
    async (script, isStream) => {
      const row = await rowAfter(() => leaveWaiting({ model: provider, script, isStream }))
      expect(await waitUntilIdle(site.lab, provider)).toMatchObject({ requests: 1, aborted: 1 })
      expect(row).toMatchObject({ completion_tokens: 0, detail: { provenance: 'estimated' } })
      expect(row.quota).toBe(expectedCharge(PRICE, { prompt: row.prompt_tokens, completion: 0 }))
    },
  )
})

describe.each(PROVIDERS)('through %s, when responses are read on', provider => {
  beforeAll(() => setOptions(site.root, { DisconnectReadSeconds: 20 }))

  test.each([
    ['pace-5+tokens-120', 120],
    ['pace-5+reasoning-60+tokens-2', 62],
  ] as const)(
    'a disconnect during a stream (%s) charges what the provider reports at its end',
    async (script, tokens) => {
      const row = await waitForLog(site.root, await leaveAfter(2, provider, script))
      expect(row).toMatchObject({ detail: { ending: 'client-left', provenance: 'upstream' } })
      expect(row.completion_tokens).toBe(tokens)
      expect(await waitUntilIdle(site.lab, provider)).toMatchObject({ requests: 1, aborted: 0 })
    },
  )

  test.each([false, true])('a disconnect before the response (streamed: %p) charges it', async isStream => {
    const script = 'slow-headers-300+tokens-250'
    const row = await rowAfter(() => leaveWaiting({ model: provider, script, isStream }))
    expect(row).toMatchObject({ completion_tokens: 250, detail: { provenance: 'upstream' } })
  })
})

test('a stop ends the reading of a response whose client has left, and charges it', async () => {
  const folder = makeTemporaryFolder()
  const gateway = await startGateway({ dataDir: folder.path })
  const root = await gateway.signInAsRoot()
  await addLabChannel(root, site.lab, { provider: 'openai', models: ['openai'], namespace: 'openai' })
  await setOptions(root, { ModelRatio: { openai: 3 } })
  const target = { url: gateway.url, key: (await addToken(root)).key }
  await leaveWaiting({ model: 'openai', script: 'hang', isStream: false, gateway: target })
  const startedMs = elapsedMs()
  expect(await gateway.stop()).toBe(0)
  expect(elapsedMs() - startedMs).toBeLessThan(STOP_MS_MAX)
  const rows = await inDatabase(gateway, db =>
    db.selectFrom('logs').selectAll().where('type', '=', 2).execute(),
  )
  folder.remove()
  expect(rows).toMatchObject([{ completion_tokens: 0 }])
  expect(rows[0]?.quota).toBeGreaterThan(0)
})

test(`${RANDOM_LEAVERS} disconnects at random moments leave no open hold and a balanced ledger`, async () => {
  await Promise.all(
    Array.from({ length: RANDOM_LEAVERS }, async (_, index) => {
      const leaving = new AbortController()
      const model = PROVIDERS[index % PROVIDERS.length] ?? 'openai'
      const reading = call(
        { model, script: 'pace-5+tokens-30', isStream: index % 4 > 0 },
        leaving.signal,
      ).then(reply => reply.text())
      await Promise.race([reading.catch(() => 'left'), sleepMs(Math.random() * STAY_MS_MAX)])
      leaving.abort()
      await reading.catch(() => 'left')
    }),
  )
  for (const provider of PROVIDERS) await waitUntilIdle(site.lab, provider)
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
