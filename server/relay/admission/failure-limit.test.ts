import { afterEach, expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const LIMIT = 5
const CHAT = '/v1/chat/completions'
const BODY = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }

let relay: TestRelay
afterEach(() => relay.close())

async function openRelay(status: number, message = 'it failed'): Promise<string> {
  relay = await TestRelay.open({
    options: { FailedRequestRateLimit: LIMIT },
    send: sendThrough(async () => Response.json({ error: { message, code: message } }, { status })),
  })
  await relay.addChannel()
  return relay.addToken()
}

async function failTimes(count: number, key: string): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) {
    const response = await relay.request(CHAT, key, BODY)
    statuses.push(response.status)
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  return statuses
}

const countRows = async () => (await relay.db.selectFrom('logs').selectAll().execute()).length
const countInTotals = async () =>
  (await relay.db.selectFrom('usage_hours').select('count').execute()).reduce(
    (sum, row) => sum + row.count,
    0,
  )

test('rejects a token whose requests keep failing by their own fault, before a row is stored', async () => {
  const key = await openRelay(400)
  const other = { ...BODY, model: 'lab' }
  const statuses = await failTimes(LIMIT + 4, key)
  expect(statuses).toEqual([...Array(LIMIT + 1).fill(400), 429, 429, 429])
  expect(await countRows()).toBe(LIMIT)
  expect(await countInTotals()).toBe(LIMIT + 1)
  const balance = await relay.request('/v1/models', key, undefined)
  expect(balance.status).toBe(200)
  expect((await relay.request(CHAT, await relay.addToken(), other)).status).toBe(400)
})

test.each([
  ['a body without messages', CHAT, { model: 'lab' }],
  ['a body that is no JSON', CHAT, '{'],
  ['a body of another dialect', '/v1/messages', { model: 'lab', messages: [{ role: 'user', content: 7 }] }],
  ['a bad task', '/mj/submit/imagine', {}],
  ['an unknown model', '/v1/embeddings', { model: 'nobody', input: 'hi' }],
])('counts what fails before anything is held: %s', async (_, path, body) => {
  const key = await openRelay(200)
  const statusOf = async (model: unknown) => (await relay.request(path, key, model)).status
  const statuses: number[] = []
  for (let index = 0; index < LIMIT + 3; index += 1) statuses.push(await statusOf(body))
  expect(statuses.slice(0, LIMIT + 1)).not.toContain(429)
  expect(statuses.slice(LIMIT + 1)).toEqual([429, 429])
  expect((await relay.request(CHAT, await relay.addToken(), BODY)).status).not.toBe(429)
})

test('rejects a user whose tokens keep failing one after the other', async () => {
  await openRelay(400)
  const statuses: number[] = []
  for (let tokens = 0; tokens < 6; tokens += 1)
    statuses.push(...(await failTimes(LIMIT, await relay.addToken())))
  expect(statuses.indexOf(429)).toBe(LIMIT * 4 + 1)
  expect(await countRows()).toBe(LIMIT * 4)
})

test('serves on while a provider fails, but stores no more rows', async () => {
  const key = await openRelay(500)
  expect(await failTimes(LIMIT + 4, key)).toEqual(Array(LIMIT + 4).fill(500))
  expect(await countRows()).toBe(LIMIT)
  expect(await countInTotals()).toBe(LIMIT + 4)
})

test('does not reject a user for a mistake while a provider fails', async () => {
  let status = 500
  relay = await TestRelay.open({
    options: { FailedRequestRateLimit: LIMIT },
    send: sendThrough(async () => Response.json({ error: { message: 'no', code: 'no' } }, { status })),
  })
  await relay.addChannel()
  const key = await relay.addToken()
  await failTimes(LIMIT + 2, key)
  status = 400
  expect(await failTimes(2, key)).toEqual([400, 400])
})

test('stores at most a kibibyte of an error', async () => {
  const key = await openRelay(400, '错误 and words '.repeat(1_000))
  await failTimes(1, key)
  const [row] = await relay.db.selectFrom('logs').selectAll().execute()
  const [receipt] = await relay.db.selectFrom('receipts').selectAll().execute()
  expect(Buffer.byteLength(row?.content ?? '')).toBeLessThanOrEqual(1_024)
  expect(row?.content).toContain('错误')
  expect(receipt?.body.length).toBeLessThan(1_024)
})
