import { afterEach, beforeEach, expect, test } from 'bun:test'
import { MIB } from '../../core/limits.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { authenticate } from './authenticate.ts'

const SECOND_MS = 1_000
const PATHS = [
  ['/v1/messages/count_tokens', { model: 'lab', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }],
  ['/v1/responses/input_tokens', { model: 'lab', input: 'hi' }],
  ['/v1beta/models/lab:countTokens', { contents: [{ parts: [{ text: 'hi' }] }] }],
] as const

let relay: TestRelay
let token: string

beforeEach(async () => {
  relay = await TestRelay.open()
  token = await relay.addToken()
  await relay.addChannel()
})
afterEach(() => relay.close())

const spend = (ms: number) =>
  relay.context.processorBudget.spend({ userId: relay.userId, walletUnits: 0 }, ms)

test.each(PATHS)(
  'refuses %s before its body is read once the time of a poor user is spent',
  async (path, body) => {
    await relay.db.updateTable('users').set({ quota: 0 }).execute()
    expect((await relay.request(path, token, body)).status).toBe(200)
    spend(2 * SECOND_MS)
    const response = await relay.request(path, token, '{')
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeWithin(50, 70)
  },
)

test.each(PATHS)('counts large bodies for %s only for those who can pay', async (path, body) => {
  const large = { ...body, extra: Array.from({ length: 20_000 }, () => 1) }
  expect((await relay.request(path, token, large)).status).toBe(200)
  await relay.db.updateTable('users').set({ quota: 0 }).execute()
  expect((await relay.request(path, token, large)).status).toBe(400)
})

test('counts lookups at the same time before any of them ends', async () => {
  await relay.db.updateTable('users').set({ quota: 0 }).execute()
  spend(0.99 * SECOND_MS)
  const calls = Array.from({ length: 40 }, () => relay.request('/v1/models', token, undefined))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter(status => status === 200).length).toBeWithin(5, 30)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})

test('counts what a lookup has read, also when it fails', async () => {
  await relay.db.updateTable('users').set({ quota: 0 }).execute()
  const { context } = relay
  const request = new Request('http://gateway.test/v1/models', { headers: { authorization: token } })
  const connection = connectionFor(request, '')
  const caller = await authenticate(request, connection, 'token', context)
  const lookup = () =>
    context.processorBudget.runLookup({ caller, connection }, async () => {
      connection.takeMemory(70 * MIB, 'user')
      throw new Error('it failed')
    })
  await expect(lookup()).rejects.toThrow('it failed')
  await expect(lookup()).rejects.toThrow('too much processor time')
})

test('takes shares until the budget is used up, and none beyond it', () => {
  const { processorBudget } = relay.context
  const take = (userId: number) => processorBudget.take(userId, 0.3)
  for (let taken = 0; taken < 4; taken += 1) expect(take(1)).toEqual({ isAllowed: true, retryAfterMs: 0 })
  for (let beyond = 0; beyond < 4; beyond += 1) {
    const { isAllowed, retryAfterMs } = take(1)
    expect(isAllowed).toBe(false)
    expect(retryAfterMs).toBeWithin(8 * SECOND_MS, 12 * SECOND_MS + 1)
  }
  expect(take(2).isAllowed).toBe(true)
})

test('gives payers ten times the time of others', () => {
  const { processorBudget } = relay.context
  const payer = { userId: 3, walletUnits: 1 }
  processorBudget.spend(payer, 9.5 * SECOND_MS)
  expect(() => processorBudget.require(payer)).not.toThrow()
  processorBudget.spend(payer, SECOND_MS)
  expect(() => processorBudget.require(payer)).toThrow('too much processor time')
})

test('reads small bodies only for look-ups', async () => {
  const response = await relay.request('/suno/fetch', token, { ids: ['1'], extra: Array(20_000).fill(1) })
  expect(await response.text()).toContain('more than 20000 elements')
})

test('gives payers more time, and counts invalid bodies too', async () => {
  const [[path, body]] = PATHS
  const { processorBudget } = relay.context
  const payer = { userId: relay.userId, walletUnits: 1 }
  processorBudget.spend(payer, 2 * SECOND_MS)
  expect((await relay.request(path, token, body)).status).toBe(200)
  await relay.db.updateTable('users').set({ quota: 0 }).execute()
  const fresh = { userId: 0, walletUnits: 0 }
  for (let second = 0; second < 3; second += 1) processorBudget.spend(fresh, 400)
  expect(() => processorBudget.require(fresh)).toThrow('too much processor time')
})

test('counts the time of invalid bodies', async () => {
  await relay.db.updateTable('users').set({ quota: 0 }).execute()
  const statuses: number[] = []
  for (let at = 0; at < 60; at += 1) statuses.push((await relay.request(PATHS[0][0], token, '{')).status)
  expect(new Set(statuses)).toEqual(new Set([400, 429]))
})

test.each([
  ['keys', Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`k${at}`, {}]))],
  [
    'levels',
    Array.from({ length: 80 }).reduce<object>(inner => ({ a: inner }), { text: 'x'.repeat(70_000) }),
  ],
])('refuses a schema with too many %s, for counts and for requests', async (_, properties) => {
  const tool = { name: 'x', description: '', input_schema: { type: 'object', properties } }
  const messages = [{ role: 'user', content: 'x'.repeat(70_000) }]
  const body = { model: 'lab', max_tokens: 1, messages, tools: [tool] }
  for (const path of ['/v1/messages/count_tokens', '/v1/messages'])
    expect((await relay.request(path, token, body)).status).toBe(400)
})

test('counts frames of a conversation by their size, and the smallest ones too', () => {
  const { processorBudget } = relay.context
  const poor = { userId: 0, walletUnits: 0 }
  const admit = (frames: number, bytes: number) => {
    for (let frame = 0; frame < frames; frame += 1) processorBudget.admitFrame(poor, bytes)
  }
  admit(100, 10)
  admit(1, 2 ** 26)
  expect(() => admit(1, 10)).toThrow('too much processor time')
  expect(() => processorBudget.admitFrame({ userId: 1, walletUnits: 0 }, 10)).not.toThrow()
  const other = { userId: 2, walletUnits: 0 }
  expect(() => {
    for (let frame = 0; frame < 20_000; frame += 1) processorBudget.admitFrame(other, 10)
  }).toThrow('too much processor time')
})
