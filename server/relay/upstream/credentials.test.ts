import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
import { answerWith } from '../../testing/answer-with.ts'
import { type RoutedChannel, toRoutedChannel } from '../routing/routed-channel.ts'
import { openCredentials } from './credentials.ts'
import type { Send } from './send.ts'

const LIFE_SECONDS = 3_600

let nowSeconds = 1_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => nowSeconds * 1000, elapsedMs: () => 0 })
})
afterEach(() => restore())

/** A vendor that trades any key but `bad` for a token. */
const provider = defineProvider({
  type: 1,
  name: 'Trader',
  baseUrl: 'https://v.example',
  models: [],
  async credential({ key, baseUrl }, io) {
    const { json } = await io.send({ url: baseUrl, headers: { authorization: key } })
    if (key === 'bad') throw new GatewayError('upstream_failed', 'refused', { status: 401 })
    return { token: String(json), expiresAt: io.nowSeconds + LIFE_SECONDS }
  },
})

const channelOf = (key: string): RoutedChannel => ({
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

function openCounted(isWell = () => true) {
  let asked = 0
  const send: Send = () => {
    asked += 1
    if (!isWell()) return Promise.resolve({ kind: 'failure', failure: UNREACHABLE })
    return Promise.resolve(answerWith(Response.json(asked)))
  }
  return { credentials: openCredentials(send), asked: () => asked }
}

test('asks once for all that wait, and again when little is left of the credential', async () => {
  const { credentials, asked } = openCounted()
  const channel = channelOf('key')
  const tokens = await Promise.all([credentials.of(channel), credentials.of(channel)])
  expect(tokens).toMatchObject([{ token: '1' }, { token: '1' }])
  nowSeconds += LIFE_SECONDS - 301
  expect(await credentials.of(channel)).toMatchObject({ token: '1' })
  nowSeconds += 1
  expect(await credentials.of(channel)).toMatchObject({ token: '2' })
  expect(asked()).toBe(2)
})

test('asks again for another key, and after the vendor refused the credential', async () => {
  const { credentials } = openCounted()
  await credentials.of(channelOf('key'))
  expect(await credentials.of(channelOf('other key'))).toMatchObject({ token: '2' })
  credentials.forget(channelOf('other key'))
  expect(await credentials.of(channelOf('other key'))).toMatchObject({ token: '3' })
})

test('what is left of a credential is used while the vendor cannot be asked for another, and no longer', async () => {
  let isWell = true
  const { credentials } = openCounted(() => isWell)
  const channel = channelOf('key')
  await credentials.of(channel)
  isWell = false
  nowSeconds += LIFE_SECONDS - 10
  const both = await Promise.all([credentials.of(channel), credentials.of(channel)])
  expect(both).toMatchObject([{ token: '1' }, { token: '1' }])
  isWell = true
  expect(await credentials.of(channel)).toMatchObject({ token: '3' })
  isWell = false
  nowSeconds += LIFE_SECONDS
  expect(await credentials.of(channel)).toMatchObject({ status: 502 })
})

test('says why there is none, and does not keep that', async () => {
  const { credentials, asked } = openCounted()
  expect(await credentials.of(channelOf('bad'))).toMatchObject({ status: 401, message: 'refused' })
  await credentials.of(channelOf('bad'))
  expect(asked()).toBe(2)
})

test('has nothing to ask where the vendor takes the key itself', async () => {
  const { credentials, asked } = openCounted()
  const { credential, ...plain } = provider
  expect(await credentials.of({ ...channelOf('key'), provider: plain })).toBeUndefined()
  expect(asked()).toBe(0)
})
