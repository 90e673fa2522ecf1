import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { updateChannel } from '#features/channels/contract/channel-endpoints.ts'
import { MIB } from '#server/core/limits.ts'
import { type ChatResult, errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { waitForLog } from '../harness/find-log.ts'
import { freePort } from '../harness/free-port.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { setScenario } from '../harness/lab-namespace.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from './fault-setup.ts'

const CERTIFICATES = join(PROJECT, 'server', 'testing', 'fixtures')
/** Just below the limit of a stream event. */
const LONG_EVENT_BYTES = 63 * MIB
const TOO_LONG_EVENT_BYTES = 65 * MIB
const TOO_LARGE_RESPONSE_BYTES = 130 * MIB

let stage: FaultSetup
const servers: { stop(isHard: boolean): Promise<void> }[] = []

beforeAll(async () => {
  stage = await createFaultSetup()
})
beforeEach(() => setOptions(stage.site.root, { RetryTimes: 0, AutomaticDisableChannelEnabled: false }))
afterAll(async () => {
  await stage?.stop()
  for (const server of servers) await server.stop(true)
})

/** Adds a channel with this base URL and returns its model. */
async function addProviderAt(base_url: string): Promise<string> {
  const model = `at-${base_url.replace(/\W+/g, '-')}`
  const draft = { base_url, priority: 5 }
  await addLabChannel(stage.site.root, stage.site.lab, {
    provider: 'openai',
    models: [model],
    name: model,
    draft,
  })
  await priced(model)
  return model
}

const models: string[] = [LAB]
async function priced(model: string): Promise<void> {
  models.push(model)
  await setOptions(stage.site.root, {
    ModelPrice: Object.fromEntries(models.map(name => [name, PRICE / 500_000])),
  })
}

/** Expects an upstream failure without a charge and without the upstream's address, streamed or not. */
async function expectUnreachable(model: string): Promise<void> {
  const before = await stage.charged()
  for (const isStream of [false, true]) {
    const response = await stage.ask(model, { isStream })
    expect(response.status).toBe(502)
    expect(errorOf(response).message).toContain('could not be reached')
    expect(errorOf(response).message).not.toMatch(/127\.0\.0\.1|localhost/)
    expect(await waitForLog(stage.site.root, response.requestId)).toMatchObject({ type: 5, quota: 0 })
  }
  expect(await stage.charged()).toBe(before)
}

test('a refused connection fails over to the next channel', async () => {
  const model = await addProviderAt(`http://127.0.0.1:${await freePort()}`)
  await expectUnreachable(model)
  await addLabChannel(stage.site.root, stage.site.lab, { provider: 'openai', models: [model] })
  await setOptions(stage.site.root, { RetryTimes: 1 })
  expect((await stage.ask(model)).status).toBe(200)
  expect(isCompleteStream(await stage.ask(model, { isStream: true }))).toBe(true)
})

test('an upstream without TLS behind an https address is an upstream failure', async () => {
  await expectUnreachable(await addProviderAt(stage.site.lab.url.replace('http:', 'https:')))
})

test('an upstream with an untrusted certificate is an upstream failure', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: {
      cert: Bun.file(join(CERTIFICATES, 'localhost.cert.pem')),
      key: Bun.file(join(CERTIFICATES, 'localhost.key.pem')),
    },
    fetch: () => Response.json({}),
  })
  servers.push(server)
  await expectUnreachable(await addProviderAt(`https://127.0.0.1:${server.port}`))
})

test('delivers an event of 63 MiB and ends the stream with an error beyond 64 MiB', async () => {
  const before = await stage.charged()
  const long = await stage.ask(LAB, { isStream: true, script: `huge-${LONG_EVENT_BYTES}` })
  expect(isCompleteStream(long)).toBe(true)
  expect(long.text.length).toBeGreaterThan(LONG_EVENT_BYTES)
  expect(await stage.charged()).toBe(before + PRICE)
  const longer = await stage.ask(LAB, { isStream: true, script: `huge-${TOO_LONG_EVENT_BYTES}` })
  expectBroken(longer)
  expect(await stage.charged()).toBe(before + 2 * PRICE)
})

test('rejects a JSON response beyond 128 MiB and charges nothing', async () => {
  const before = await stage.charged()
  const response = await stage.ask(LAB, { script: `huge-${TOO_LARGE_RESPONSE_BYTES}` })
  expect([response.status, errorOf(response).code]).toEqual([502, 'upstream_bad_answer'])
  expect(errorOf(response).message).toContain('larger than 128 MiB')
  expect(await stage.charged()).toBe(before)
})

test('disables a channel whose keys are all revoked and enables it with a new key', async () => {
  const model = 'with-dead-keys'
  await priced(model)
  const channel = await addLabChannel(stage.site.root, stage.site.lab, {
    provider: 'openai',
    models: [model],
    namespace: model,
    draft: { key: 'first\nsecond', setting: JSON.stringify({ several_keys: true }) },
  })
  await setScenario(stage.site.lab, model, 'dead-key')
  await setOptions(stage.site.root, { AutomaticDisableChannelEnabled: true })
  const before = await stage.charged()
  expect((await stage.ask(model)).status).toBe(401)
  expect((await stage.ask(model, { isStream: true })).status).toBe(503)
  expect(await stage.charged()).toBe(before)
  await setScenario(stage.site.lab, model, '')
  await stage.site.root.call(updateChannel, { body: { id: channel.id, key: 'third', status: 1 } })
  expect((await stage.ask(model)).status).toBe(200)
})

test('leaves a balanced ledger without open holds', () => stage.expectBalancedLedger())

/** Expects a stream that broke off after some output. */
function expectBroken({ status, text }: ChatResult): void {
  expect(status).toBe(200)
  expect(text).toContain('upstream_bad_answer')
  expect(text.length).toBeLessThan(MIB)
}
