import { afterEach, describe, expect, test } from 'bun:test'
import { nowSeconds } from '../../core/clock.ts'
import { createSecrets, hashImportedKey, sha256 } from '../../core/crypto.ts'
import { newRequestId } from '../../core/ids.ts'
import { quota } from '../../core/money.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { isAddressAllowed, readPresentedKey } from './authenticate.ts'

const CHAT = '/v1/chat/completions'
const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }] }
const PRICES = testPrices({
  ModelPrice: { lab: 0.001 },
})

let relay: TestRelay | undefined
afterEach(async () => {
  await relay?.close()
  relay = undefined
})

const findTokenStatus = ({ db }: TestRelay) => db.selectFrom('tokens').select('status').executeTakeFirst()

test('accepts a token again after its reserved quota is released', async () => {
  relay = await TestRelay.open({ prices: PRICES })
  await relay.addChannel()
  const key = await relay.addToken({ remain: 500 })
  const { id: tokenId } = await relay.db.selectFrom('tokens').select('id').executeTakeFirstOrThrow()
  const { ledger } = relay.context
  const hold = await ledger.reserve({
    requestId: newRequestId(),
    userId: relay.userId,
    tokenId,
    isTokenLimited: true,
    amount: quota(500),
  })
  expect((await relay.request(CHAT, key, body)).status).toBe(401)
  await ledger.release(hold)
  expect((await relay.request(CHAT, key, body)).status).toBe(200)
})

test('marks a token as exhausted on its next use', async () => {
  relay = await TestRelay.open({ prices: PRICES })
  await relay.addChannel()
  const key = await relay.addToken({ remain: 500 })
  await (await relay.request(CHAT, key, body)).text()
  expect(await findTokenStatus(relay)).toEqual({ status: 1 })
  expect((await relay.request(CHAT, key, body)).status).toBe(401)
  expect(await findTokenStatus(relay)).toEqual({ status: 4 })
})

test('accepts a token until it expires', async () => {
  relay = await TestRelay.open()
  await relay.addChannel()
  const now = nowSeconds()
  const statusOf = async (expired_time: number) => {
    const key = await relay?.addToken({ columns: { expired_time } })
    return (await relay?.request(CHAT, key ?? '', body))?.status
  }
  expect([await statusOf(now + 60), await statusOf(now - 60), await statusOf(-1)]).toEqual([200, 401, 200])
})

test("accepts a token whose group is its owner's own, although users may not choose it", async () => {
  relay = await TestRelay.open({ options: { UserUsableGroups: { default: 'default' } } })
  await relay.addChannel({ group: 'vip' })
  await relay.db.updateTable('users').set({ group: 'vip' }).execute()
  const key = await relay.addToken({ columns: { group: 'vip' } })
  expect((await relay.request(CHAT, key, body)).status).toBe(200)
  await relay.db.updateTable('users').set({ group: 'default' }).execute()
  expect((await relay.request(CHAT, key, body)).status).toBe(403)
})

describe('a channel chosen through the key', () => {
  const call = async (opened: TestRelay, key: string, text: string) => {
    const response = await opened.request(CHAT, `${key}-${text}`, body)
    const { error } = (await response.json()) as { error?: { code: string } }
    return [response.status, error?.code]
  }

  async function open(role: number) {
    relay = await TestRelay.open()
    await relay.db.updateTable('users').set({ role }).execute()
    await relay.addChannel({ priority: 9, base_url: 'http://lab.test/lab/fault/status-500' })
    return { opened: relay, chosen: await relay.addChannel({ group: 'vip' }) }
  }

  test('is the only channel that serves an administrator, whatever its group', async () => {
    const { opened, chosen } = await open(10)
    expect(await call(opened, await opened.addToken(), String(chosen))).toEqual([200, undefined])
  })

  test('is rejected for users', async () => {
    const { opened, chosen } = await open(1)
    const rejection = [403, 'channel_choice_not_allowed']
    expect(await call(opened, await opened.addToken(), String(chosen))).toEqual(rejection)
  })

  test('does not grant models that the token may not use', async () => {
    const { opened, chosen } = await open(100)
    const key = await opened.addToken({ columns: { model_limits_enabled: 1, model_limits: 'other' } })
    expect(await call(opened, key, String(chosen))).toEqual([403, 'model_not_allowed'])
  })

  test.each([
    ['abc', 400, 'invalid_channel_id'],
    ['999', 400, 'invalid_channel_id'],
    ['1', 403, 'channel_disabled'],
  ])('is rejected as %p with %d %s', async (text, status, code) => {
    const { opened } = await open(100)
    await opened.db.updateTable('channels').set({ status: 2 }).where('id', '=', 1).execute()
    await opened.context.channels.refresh()
    expect(await call(opened, await opened.addToken(), text)).toEqual([status, code])
  })
})

test('rejects the key of a deleted user', async () => {
  relay = await TestRelay.open()
  await relay.addChannel()
  const key = await relay.addToken()
  await relay.db.updateTable('users').set({ deleted_at: 1 }).execute()
  expect((await relay.request(CHAT, key, body)).status).toBe(401)
})

test('rejects a token from an address that it does not list', async () => {
  relay = await TestRelay.open()
  await relay.addChannel()
  const key = await relay.addToken({ columns: { allow_ips: '203.0.113.9' } })
  const response = await relay.request(CHAT, key, body)
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('ip_not_allowed')])
  await relay.db.updateTable('tokens').set({ allow_ips: '203.0.113.9\n192.0.2.0/24' }).execute()
  expect((await relay.request(CHAT, key, body)).status).toBe(200)
})

test('rejects a group without a price ratio', async () => {
  relay = await TestRelay.open()
  await relay.addChannel({ group: 'retired' })
  const key = await relay.addToken()
  await relay.db.updateTable('users').set({ group: 'retired' }).execute()
  const response = await relay.request(CHAT, key, body)
  expect(response.status).toBe(403)
  expect(await response.text()).toContain('group_not_allowed')
})

test.each([
  ['', '1.2.3.4', true],
  ['1.2.3.4', '1.2.3.4', true],
  ['1.2.3.4', '1.2.3.5', false],
  ['1.2.3.4', '::ffff:1.2.3.4', true],
  ['10.0.0.0/8', '10.9.8.7', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['2001:db8::/32', '2001:db8::1', true],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', true],
  ['2001:db8::/32', '10.0.0.1', false],
  ['1.1.1.1\n\n 2.2.2.2 ', '2.2.2.2', true],
  ['not an address', '1.2.3.4', false],
  ['1.2.3.4', 'unknown', false],
])('allow list %j admits %s: %p', (list, address, isAllowed) => {
  expect(isAddressAllowed(list, address)).toBe(isAllowed)
})

const present = (path: string, headers: Record<string, string>) => {
  const url = new URL(path, 'http://gateway.test')
  return readPresentedKey(new Headers(headers), url)
}

test.each([
  ['/v1/chat/completions', { authorization: 'Bearer sk-abc' }, 'abc'],
  ['/v1/chat/completions', { authorization: 'sk-abc' }, 'abc'],
  ['/v1/chat/completions', { authorization: 'abc' }, 'abc'],
  ['/v1/messages', { 'x-api-key': 'sk-abc' }, 'abc'],
  ['/v1/messages', { authorization: 'Bearer sk-abc' }, 'abc'],
  ['/v1/models', { 'x-api-key': 'sk-abc', 'anthropic-version': '2023-06-01' }, 'abc'],
  ['/v1/models/m:countTokens', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/v1beta/models/m:generateContent', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/v1beta/models/m:generateContent?key=sk-abc', {}, 'abc'],
  ['/v1alpha/models/m:generateContent?key=sk-abc', {}, 'abc'],
  ['/v1beta1/publishers/google/models/m:generateContent', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/v1/projects/p/locations/l/publishers/google/models/m:countTokens?key=sk-abc', {}, 'abc'],
  ['/v1/models', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/openai/deployments/m/chat/completions', { 'api-key': 'sk-abc' }, 'abc'],
  ['/v1/realtime', { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-abc' }, 'abc'],
] as const)('reads the key from %s with %j', (path, headers, key) => {
  expect(present(path, headers)).toMatchObject({ key, channelText: undefined })
})

test('reads the channel after the second dash of a key', () => {
  expect(present('/v1/models', { authorization: 'Bearer sk-abc-7' })).toEqual({
    key: 'abc',
    channelText: '7',
    text: 'sk-abc-7',
  })
})

test.each([['plain'], ['a-5'], ['-begins-with-a-dash_']])(
  'accepts sk-%s where an import knew only the SHA-256 of the key',
  async text => {
    relay = await TestRelay.open()
    await relay.addChannel()
    const key_hash = hashImportedKey(createSecrets('the secret key of the tests'), sha256(`sk-${text}`))
    await relay.addToken({ columns: { key_hash, key_sealed: '' } })
    expect((await relay.request(CHAT, text, body)).status).toBe(200)
    expect((await relay.request(CHAT, `${text}x`, body)).status).toBe(401)
  },
)

test('ignores a key in the query in the OpenAI dialect', () => {
  expect(present('/v1/chat/completions?key=sk-abc', {})).toBeUndefined()
})

test.each([['Bearer '], ['sk-'], ['']])('finds no key in %j', authorization => {
  expect(present('/v1/models', { authorization })).toBeUndefined()
})
