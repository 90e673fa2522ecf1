import { afterAll, beforeAll, expect, test } from 'bun:test'
import { updateToken } from '#contract/entities/token.ts'
import { updateChannel } from '#features/channels/contract/channel-endpoints.ts'
import type { Channel } from '#features/channels/contract/channels.ts'
import { elapsedMs } from '#server/core/clock.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'agreed'
const CHANGES = 5
const UNKNOWN_MODELS = 100
const AGREEMENT_MS_MAX = 200
const FLOOD_MS_MAX = 2_000
const WAIT_TIMEOUT_MS = 20_000

let postgres: PostgresDatabase
let site: Site
let second: RunningGateway
let root: AdminClient
let channel: Channel
let token: Awaited<ReturnType<typeof addToken>>

beforeAll(async () => {
  postgres = await openPostgres()
  const environment = {
    DATABASE_URL: postgres.url,
    WORKERS: '1',
    SECRET_KEY: 'the secret key of two gateways',
  }
  site = await startSite({ environment })
  second = await startGateway({ environment })
  root = site.root
  await setOptions(root, { ModelRatio: { [MODEL]: 1 } })
  channel = await addLabChannel(root, site.lab, { provider: 'openai', models: [MODEL] })
  token = await addToken(root)
})

afterAll(async () => {
  await Promise.all([site?.stop(), second?.stop()])
  await postgres?.stop()
})

/** Current response of the other process to the token. */
const askSecond = (path: string): Promise<Response> =>
  fetch(`${second.url}${path}`, { headers: { authorization: `Bearer sk-${token.key}` } })

const listsModel = async (): Promise<boolean> =>
  (await (await askSecond('/v1/models')).text()).includes(MODEL)

/** Median time until the other process applies a change. */
async function medianAgreementMs(
  change: (round: number) => Promise<unknown>,
  isKnown: (round: number) => Promise<boolean>,
): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < CHANGES; round += 1) {
    await change(round)
    const startedMs = elapsedMs()
    await waitUntil({ description: 'the other process to know', timeoutMs: WAIT_TIMEOUT_MS }, () =>
      isKnown(round),
    )
    times.push(elapsedMs() - startedMs)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(CHANGES / 2)] ?? Number.NaN
}

test('a channel disabled or enabled in one process is so in the other within 200 ms', async () => {
  const isOn = (round: number) => round % 2 === 1
  const ms = await medianAgreementMs(
    round => root.call(updateChannel, { body: { id: channel.id, status: isOn(round) ? 1 : 2 } }),
    async round => (await listsModel()) === isOn(round),
  )
  expect(ms).toBeLessThan(AGREEMENT_MS_MAX)
})

test('a channel, its key and its price, made in one process, serve requests in the other at once', async () => {
  const statuses: number[] = []
  for (let round = 0; round < CHANGES; round += 1) {
    const model = `made-${round}`
    await setOptions(root, { ModelRatio: { [MODEL]: 1, [model]: 1 } })
    await addLabChannel(root, site.lab, { provider: 'openai', models: [model], name: model })
    const body = { model, messages: [{ role: 'user', content: 'hello' }] }
    statuses.push((await callChat({ url: second.url, key: token.key, body })).status)
  }
  expect(statuses).toEqual(Array.from({ length: CHANGES }, () => 200))
})

test('a flood of requests for unknown models asks the database once a second and delays no other', async () => {
  const ask = (model: string) =>
    callChat({
      url: second.url,
      key: token.key,
      body: { model, messages: [{ role: 'user', content: 'hi' }] },
    })
  const startedMs = elapsedMs()
  const unknown = Array.from({ length: UNKNOWN_MODELS }, (_, index) => ask(`unknown-${index}`))
  expect((await ask(`made-${CHANGES - 1}`)).status).toBe(200)
  expect(elapsedMs() - startedMs).toBeLessThan(FLOOD_MS_MAX)
  expect(new Set((await Promise.all(unknown)).map(({ status }) => status))).toEqual(new Set([404]))
  expect(elapsedMs() - startedMs).toBeLessThan(2 * FLOOD_MS_MAX)
})

test('an option stored by one process applies in the other within 200 ms', async () => {
  const ms = await medianAgreementMs(
    round => setOptions(root, { SystemName: `gate ${round}` }),
    async round => (await (await askSecond('/api/status')).text()).includes(`gate ${round}`),
  )
  expect(ms).toBeLessThan(AGREEMENT_MS_MAX)
})

test('a token disabled in one process is rejected by the other at once', async () => {
  for (const status of [2, 1] as const) {
    await root.call(updateToken, { query: { status_only: '1' }, body: { id: token.id, status } })
    expect((await askSecond('/v1/models')).status).toBe(status === 1 ? 200 : 401)
  }
})
