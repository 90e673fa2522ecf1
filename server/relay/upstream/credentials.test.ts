import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { sameInBoth } from '../../core/language.ts'
import type { Send } from '../../http-client/send.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { receivedResponse } from '../../testing/received-response.ts'
import { type RoutedChannel, toRoutedChannel } from '../routing/channel-directory.ts'
import { createCredentials } from './credentials.ts'

const LIFE_SECONDS = 3_600

let nowSeconds = 1_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => nowSeconds * 1000, elapsedMs: () => 0 })
})
afterEach(() => restore())

/** A provider that exchanges any key but `bad` for a token. */
const provider = defineProvider({
  type: 1,
  name: 'Exchange',
  baseUrl: 'https://v.example',
  models: [],
  async credential({ key, baseUrl }, io) {
    const { json } = await io.send({ url: baseUrl, headers: { authorization: key } })
    if (key === 'bad') throw new GatewayError('upstream_failed', sameInBoth('refused'), { status: 401 })
    return { token: String(json), expiresAt: io.nowSeconds + LIFE_SECONDS }
  },
})

const createChannel = (key: string): RoutedChannel => ({
  ...toRoutedChannel(
    {
      id: 7,
      type: 1,
      name: 'c',
      status: 1,
      priority: 0,
      weight: 0,
      auto_ban: 1,
      models: '',
      group: '',
      test_model: '',
      base_url: '',
      other: '',
      openai_organization: '',
      setting: '',
      model_mapping: '',
      status_code_mapping: '',
      param_override: '',
      max_input_tokens: 0,
      stopped_models: '',
    },
    provider,
    key,
  ),
})

const UNREACHABLE = {
  status: 502,
  code: 'upstream_unreachable',
  message: 'the upstream could not be reached',
}

function createCounted(isReachable = () => true) {
  let requestCount = 0
  const send: Send = () => {
    requestCount += 1
    if (!isReachable()) return Promise.resolve({ kind: 'failure', failure: UNREACHABLE })
    return Promise.resolve(receivedResponse(Response.json(requestCount)))
  }
  return { credentials: createCredentials(send), requests: () => requestCount }
}

test('shares one request among concurrent calls and renews before the credential expires', async () => {
  const { credentials, requests } = createCounted()
  const channel = createChannel('key')
  const tokens = await Promise.all([credentials.get(channel), credentials.get(channel)])
  expect(tokens).toMatchObject([{ token: '1' }, { token: '1' }])
  nowSeconds += LIFE_SECONDS - 301
  expect(await credentials.get(channel)).toMatchObject({ token: '1' })
  nowSeconds += 1
  expect(await credentials.get(channel)).toMatchObject({ token: '2' })
  expect(requests()).toBe(2)
})

test('requests a credential for each key, and again after one was refused', async () => {
  const { credentials } = createCounted()
  await credentials.get(createChannel('key'))
  expect(await credentials.get(createChannel('other key'))).toMatchObject({ token: '2' })
  credentials.forget(createChannel('other key'))
  expect(await credentials.get(createChannel('other key'))).toMatchObject({ token: '3' })
})

test('keeps using a valid credential while the provider is unreachable', async () => {
  let isReachable = true
  const { credentials } = createCounted(() => isReachable)
  const channel = createChannel('key')
  await credentials.get(channel)
  isReachable = false
  nowSeconds += LIFE_SECONDS - 10
  const both = await Promise.all([credentials.get(channel), credentials.get(channel)])
  expect(both).toMatchObject([{ token: '1' }, { token: '1' }])
  isReachable = true
  expect(await credentials.get(channel)).toMatchObject({ token: '3' })
  isReachable = false
  nowSeconds += LIFE_SECONDS
  expect(await credentials.get(channel)).toMatchObject({ status: 502 })
})

test('returns the error of the provider without caching it', async () => {
  const { credentials, requests } = createCounted()
  expect(await credentials.get(createChannel('bad'))).toMatchObject({ status: 401, message: 'refused' })
  await credentials.get(createChannel('bad'))
  expect(requests()).toBe(2)
})

test('requests nothing when the provider takes the key itself', async () => {
  const { credentials, requests } = createCounted()
  const { credential, ...plain } = provider
  expect(await credentials.get({ ...createChannel('key'), provider: plain })).toBeUndefined()
  expect(requests()).toBe(0)
})
