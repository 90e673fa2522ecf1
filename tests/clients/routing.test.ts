import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  deleteChannels,
  getChannel,
  listChannels,
  updateChannel,
} from '#features/channels/contract/channel-endpoints.ts'
import { type ChatResult, callChat, errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace, setScenario } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'routed'
const CALLS = 60
const REVOKED_KEY_CALLS = 5
const FIRST_CALLS = 5

let site: Site
let key: string

beforeAll(async () => {
  site = await startSite()
  key = (await addToken(site.root)).key
})

beforeEach(async () => {
  const channels = await site.root.call(listChannels, { query: { page_size: 100 } })
  if (channels.length > 0)
    await site.root.call(deleteChannels, { body: { ids: channels.map(({ id }) => id) } })
  await fetch(`${site.lab.url}/control`, { method: 'DELETE' })
  await setOptions(site.root, {
    ModelRatio: { [MODEL]: 1 },
    RetryTimes: 0,
    AutomaticDisableChannelEnabled: false,
  })
})

afterAll(() => site?.stop())

type Draft = Parameters<typeof addLabChannel>[2]['draft']

/** A channel with its own namespace of the lab, after which it is named. */
const addChannel = (namespace: string, draft: Draft = {}) =>
  addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [MODEL],
    name: namespace,
    namespace,
    draft,
  })

const ask = (isStream = false): Promise<ChatResult> => {
  const body = { model: MODEL, stream: isStream, messages: [{ role: 'user', content: 'hello' }] }
  return callChat({ url: site.gateway.url, key, body })
}

/** As many as may wait for the first byte of a channel at once. Others would go to another channel meanwhile. */
async function askAll(): Promise<void> {
  for (let requested = 0; requested < CALLS; requested += FIRST_CALLS)
    await Promise.all(Array.from({ length: FIRST_CALLS }, () => ask()))
}

const requestsOf = async (lane: string): Promise<number> => (await readNamespace(site.lab, lane)).requests

test('serves every request while one of three channels is dead, streamed or not', async () => {
  await setOptions(site.root, { RetryTimes: 2 })
  for (const lane of ['dead', 'alive', 'well']) await addChannel(lane)
  await setScenario(site.lab, 'dead', 'status-500')
  const responses = await Promise.all(Array.from({ length: CALLS }, (_, index) => ask(index % 2 === 0)))
  expect(responses.filter(({ status }) => status !== 200)).toEqual([])
  expect(responses.filter((response, index) => index % 2 === 0 && !isCompleteStream(response))).toEqual([])
  expect(await requestsOf('dead')).toBeGreaterThan(0)
  expect((await requestsOf('alive')) + (await requestsOf('well'))).toBe(CALLS)
})

test('retries a stream after a lost connection once, then completes it on the next channel', async () => {
  await setOptions(site.root, { RetryTimes: 1 })
  await addChannel('first', { priority: 1 })
  await addChannel('second')
  await setScenario(site.lab, 'first', 'reset')
  const response = await ask(true)
  expect(isCompleteStream(response)).toBe(true)
  const { detail } = await waitForLog(site.root, response.requestId)
  expect(detail.attempts?.map(({ channel_name: name, status }) => [name, status === 200])).toEqual([
    ['first', false],
    ['first', false],
    ['second', true],
  ])
})

test.each(['html', 'garbage', 'error-event-0', 'empty', 'status-429', 'status-401', 'status-404'])(
  'completes a stream on the next channel when the first fails with %s',
  async script => {
    await setOptions(site.root, { RetryTimes: 1 })
    await addChannel('first', { priority: 1 })
    await addChannel('second')
    await setScenario(site.lab, 'first', script)
    const response = await ask(true)
    expect(isCompleteStream(response)).toBe(true)
    const { detail, channel_name } = await waitForLog(site.root, response.requestId)
    expect(channel_name).toBe('second')
    expect(detail.attempts?.map(({ channel_name: name, status }) => [name, status === 200])).toEqual([
      ['first', false],
      ['second', true],
    ])
  },
)

test.each(['status-400', 'status-408', 'status-504', 'status-524'])(
  '%s does not move the request to another channel',
  async script => {
    await setOptions(site.root, { RetryTimes: 1 })
    await addChannel('first', { priority: 1 })
    await addChannel('second')
    await setScenario(site.lab, 'first', script)
    expect((await ask()).status).toBe(Number(script.slice('status-'.length)))
    expect(await requestsOf('second')).toBe(0)
  },
)

test('tries each channel once and no more channels than RetryTimes allows', async () => {
  await setOptions(site.root, { RetryTimes: 2 })
  const lanes = ['a', 'b', 'c', 'd']
  for (const lane of lanes) {
    await addChannel(lane)
    await setScenario(site.lab, lane, 'status-503')
  }
  const response = await ask()
  expect(response.status).toBe(503)
  const requested = await Promise.all(lanes.map(requestsOf))
  expect(requested.toSorted()).toEqual([0, 1, 1, 1])
  expect((await waitForLog(site.root, response.requestId)).detail.attempts).toHaveLength(3)
})

test('uses only the highest priority while it responds', async () => {
  await addChannel('high', { priority: 5, weight: 0 })
  await addChannel('low', { priority: 1, weight: 1000 })
  await askAll()
  expect([await requestsOf('high'), await requestsOf('low')]).toEqual([CALLS, 0])
})

test('distributes requests within a priority by weight', async () => {
  await addChannel('heavy', { weight: 980 })
  await addChannel('light', { weight: 0 })
  await askAll()
  expect(await requestsOf('heavy')).toBeGreaterThan(await requestsOf('light'))
  expect((await requestsOf('heavy')) + (await requestsOf('light'))).toBe(CALLS)
})

test('applies a channel update to the next request', async () => {
  const first = await addChannel('first', { priority: 1 })
  await addChannel('second')
  await ask()
  await site.root.call(updateChannel, { body: { id: first.id, status: 2 } })
  await ask()
  expect([await requestsOf('first'), await requestsOf('second')]).toEqual([1, 1])
})

test('sends a mapped model under its upstream name and logs both names', async () => {
  await addChannel('mapped', { model_mapping: `{"${MODEL}":"step","step":"the-real-one"}` })
  const response = await ask()
  expect(JSON.parse((await readNamespace(site.lab, 'mapped')).last?.body ?? '{}').model).toBe('the-real-one')
  expect(await waitForLog(site.root, response.requestId)).toMatchObject({
    model_name: MODEL,
    detail: { is_model_mapped: true, upstream_model_name: 'the-real-one' },
  })
})

test('applies a mapped status to the response and to the retry decision', async () => {
  await setOptions(site.root, { RetryTimes: 1 })
  await addChannel('first', { priority: 1, status_code_mapping: '{"500":"400"}' })
  await addChannel('second')
  await setScenario(site.lab, 'first', 'status-500')
  expect((await ask()).status).toBe(400)
  expect(await requestsOf('second')).toBe(0)
  await setScenario(site.lab, 'first', 'status-503')
  expect((await ask()).status).toBe(200)
})

test('overwrites request fields with param_override', async () => {
  await addChannel('overridden', { param_override: '{"temperature":0.25,"seed":7}' })
  await ask()
  const sent = JSON.parse((await readNamespace(site.lab, 'overridden')).last?.body ?? '{}')
  expect(sent).toMatchObject({ temperature: 0.25, seed: 7, model: MODEL })
})

test('disables a channel with a revoked key when auto-disable is on, stores the reason and stops using it', async () => {
  await setOptions(site.root, { RetryTimes: 1, AutomaticDisableChannelEnabled: true })
  const killed = await addChannel('dead', { priority: 1 })
  await addChannel('alive')
  await setScenario(site.lab, 'dead', 'dead-key')
  for (let call = 0; call < REVOKED_KEY_CALLS; call += 1) expect((await ask()).status).toBe(200)
  const channel = await site.root.call(getChannel, { params: { id: killed.id } })
  expect(channel.status).toBe(3)
  expect(JSON.parse(channel.other_info)).toMatchObject({ status_reason: expect.stringContaining('401') })
  expect(channel.other_info).not.toContain('127.0.0.1')
  expect(await requestsOf('dead')).toBeLessThan(REVOKED_KEY_CALLS)
})

test.each([
  ['the option is off', false, 1],
  ['the channel does not want it', true, 0],
] as const)('a dead key disables nothing when %s', async (_why, isEnabled, auto_ban) => {
  await setOptions(site.root, { AutomaticDisableChannelEnabled: isEnabled })
  const killed = await addChannel('dead', { auto_ban })
  await setScenario(site.lab, 'dead', 'dead-key')
  expect((await ask()).status).toBe(401)
  expect((await site.root.call(getChannel, { params: { id: killed.id } })).status).toBe(1)
})

test('uses only the channel that an administrator selects through the key', async () => {
  await setOptions(site.root, { RetryTimes: 2 })
  const chosen = await addChannel('chosen', { priority: 1 })
  await addChannel('other', { priority: 9 })
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const call = () => callChat({ url: site.gateway.url, key: `${key}-${chosen.id}`, body })
  expect((await call()).status).toBe(200)
  await setScenario(site.lab, 'chosen', 'status-500')
  expect((await call()).status).toBe(500)
  expect([await requestsOf('chosen'), await requestsOf('other')]).toEqual([2, 0])
  await site.root.call(updateChannel, { body: { id: chosen.id, status: 2 } })
  expect(errorOf(await call()).code).toBe('channel_disabled')
})
