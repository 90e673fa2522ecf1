import { afterEach, expect, test } from 'bun:test'
import { noopLogger } from '../core/logger.ts'
import { auditLedger } from '../ledger/audit.ts'
import { TestRelay } from '../testing/test-relay.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]

let opened: TestRelay | undefined
async function open(options: Parameters<typeof TestRelay.open>[0] = {}): Promise<TestRelay> {
  opened = await TestRelay.open(options)
  return opened
}

/** Whatever a test did, the books must balance and no hold may stay open. */
afterEach(async () => {
  if (!opened) return
  const { drift, findings } = await auditLedger(opened.db)
  const holds = await opened.db.selectFrom('holds').selectAll().execute()
  await opened.close()
  opened = undefined
  expect({ drift, findings, holds }).toEqual({ drift: 0, findings: [], holds: [] })
})

const walletOf = async ({ db, userId }: TestRelay) => {
  const user = await db
    .selectFrom('users')
    .select(['quota', 'used_quota', 'request_count'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return user
}
const logsOf = ({ db }: TestRelay) => db.selectFrom('logs').selectAll().orderBy('id').execute()
const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { message: string; code: string } }
  return { status: response.status, code: error.code, message: error.message }
}

test('a whole answer is charged by the formula, once, and logged', async () => {
  const relay = await open()
  await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  const answer = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const charge = answer.usage.prompt_tokens + 2 * answer.usage.completion_tokens
  expect(response.status).toBe(200)
  expect(await walletOf(relay)).toEqual({ quota: 1_000_000 - charge, used_quota: charge, request_count: 1 })
  expect(await logsOf(relay)).toMatchObject([
    { type: 2, quota: charge, model_name: 'lab', prompt_tokens: answer.usage.prompt_tokens, is_stream: 0 },
  ])
})

test('a streamed answer costs what the whole one costs', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken()
  await (await relay.request(CHAT, key, { model: 'lab', messages })).text()
  const streamed = await relay.request(CHAT, key, { model: 'lab', messages, stream: true })
  expect(streamed.headers.get('content-type')).toContain('text/event-stream')
  const text = await streamed.text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).not.toContain('"usage":{')
  const [whole, stream] = await logsOf(relay)
  expect(stream).toMatchObject({ quota: whole?.quota, is_stream: 1 })
})

test('a token with a limit pays from its limit too', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken({ remain: 5000 })
  await (await relay.request(CHAT, key, { model: 'lab', messages })).text()
  const { used_quota } = await walletOf(relay)
  const token = await relay.db
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota'])
    .executeTakeFirstOrThrow()
  expect(token).toEqual({ remain_quota: 5000 - used_quota, used_quota })
})

test('a hold that wallet or token cannot afford is refused before the upstream is asked', async () => {
  const relay = await open({ wallet: 10 })
  await relay.addChannel()
  const key = await relay.addToken()
  const refused = await errorOf(await relay.request(CHAT, key, { model: 'lab', messages }))
  expect(refused).toMatchObject({ status: 403, code: 'insufficient_user_quota' })
  expect(refused.message).toContain('(request id: ')
  expect(await walletOf(relay)).toMatchObject({ quota: 10, used_quota: 0 })
})

test.each([
  [{ status: 2 }, 401, 'token_disabled'],
  [{ status: 3 }, 401, 'token_expired'],
  [{ expired_time: 1 }, 401, 'token_expired'],
  [{ status: 4 }, 401, 'token_exhausted'],
  [{ unlimited_quota: 0 }, 401, 'token_exhausted'],
  [{ allow_ips: '10.0.0.0/8' }, 403, 'ip_not_allowed'],
  [{ group: 'vip' }, 403, 'group_not_allowed'],
  [{ model_limits_enabled: 1, model_limits: 'other' }, 403, 'model_not_allowed'],
])('a token with %j answers %d %s', async (columns, status, code) => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken({ columns })
  expect(await errorOf(await relay.request(CHAT, key, { model: 'lab', messages }))).toMatchObject({
    status,
    code,
  })
})

test.each([
  ['', 'invalid_json'],
  ['{"model":', 'invalid_json'],
  ['[]', 'invalid_request'],
  [{ messages }, 'model_required'],
  [{ model: 'lab' }, 'invalid_request'],
  [{ model: 'lab', messages: 'hello' }, 'invalid_request'],
  [{ model: 'lab', messages, max_tokens: 'many' }, 'invalid_request'],
])('the body %j is refused as %s and costs nothing', async (body, code) => {
  const relay = await open()
  await relay.addChannel()
  expect(await errorOf(await relay.request(CHAT, await relay.addToken(), body))).toMatchObject({
    status: 400,
    code,
  })
  expect(await walletOf(relay)).toMatchObject({ quota: 1_000_000 })
})

test('no key, an unknown key and a banned owner are told apart', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken()
  const body = { model: 'lab', messages }
  expect(await errorOf(await relay.request(CHAT, '', body))).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
  expect(await errorOf(await relay.request(CHAT, 'nobody', body))).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
  await relay.db.updateTable('users').set({ status: 2 }).execute()
  expect(await errorOf(await relay.request(CHAT, key, body))).toMatchObject({ status: 403, code: 'user_banned' })
})

test('a model that no channel serves is answered 503, naming group and model', async () => {
  const relay = await open()
  const refused = await errorOf(await relay.request(CHAT, await relay.addToken(), { model: 'nothing', messages }))
  expect(refused).toMatchObject({ status: 503, code: 'no_available_channel' })
  expect(refused.message).toContain('default')
  expect(refused.message).toContain('nothing')
})

test('a model without a price is refused and costs nothing', async () => {
  const relay = await open()
  await relay.addChannel({ models: 'unpriced' })
  const refused = await errorOf(
    await relay.request(CHAT, await relay.addToken(), { model: 'unpriced', messages }),
  )
  expect(refused).toMatchObject({ code: 'model_price_missing' })
  expect(await walletOf(relay)).toMatchObject({ quota: 1_000_000 })
})

test('a failed channel is followed by the next, and both stand in the receipt', async () => {
  const relay = await open({ settings: { retryTimes: 1 } })
  const dead = await relay.addChannel({ priority: 5, base_url: 'http://lab.test/lab/fault/status-500' })
  const alive = await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  expect(response.status).toBe(200)
  await response.text()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  expect(JSON.parse(receipt.body).attempts).toMatchObject([
    { channel_id: dead, status: 500 },
    { channel_id: alive, status: 200 },
  ])
})

test('an error in the first event of a stream is answered by the next channel', async () => {
  const relay = await open({ settings: { retryTimes: 1 } })
  await relay.addChannel({ priority: 5, base_url: 'http://lab.test/lab/fault/error-event-0' })
  await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  expect(response.status).toBe(200)
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
})

test('when all channels fail the last failure is answered, nothing is charged, the failure is logged', async () => {
  const relay = await open({ settings: { retryTimes: 3 } })
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-500' })
  const failed = await errorOf(await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages }))
  expect(failed.status).toBe(500)
  expect(await walletOf(relay)).toMatchObject({ quota: 1_000_000, used_quota: 0 })
  expect(await logsOf(relay)).toMatchObject([{ type: 5, quota: 0 }])
})

test('a client that leaves pays for what it got, and the upstream is told', async () => {
  const relay = await open()
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/pace-5+tokens-200' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.read()
  await reader?.cancel()
  const [log] = await logsOf(relay)
  expect(log).toMatchObject({ type: 2 })
  expect(log?.quota).toBeGreaterThan(0)
  expect(log?.completion_tokens).toBeLessThan(200)
})

test('a stream that goes beyond its hold reserves more, and ends where the wallet does', async () => {
  const relay = await open({ wallet: 1_200, settings: { preConsumedTokens: 100 } })
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/tokens-5000' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  const text = await response.text()
  expect(text).toContain('insufficient_user_quota')
  expect(text).not.toContain('[DONE]')
  const { quota, used_quota } = await walletOf(relay)
  expect(quota).toBeGreaterThanOrEqual(0)
  expect(used_quota).toBeGreaterThan(900)
})

test('a stream that reserves more on its way loses nothing and repeats nothing', async () => {
  const textsOf = async (preConsumedTokens: number): Promise<string> => {
    const relay = await open({ settings: { preConsumedTokens } })
    await relay.addChannel({ base_url: 'http://lab.test/lab/fault/tokens-5000' })
    const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
    const text = await response.text()
    return [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
      .map(found => JSON.parse(found[1] ?? ''))
      .join('')
  }
  const whole = await textsOf(20_000)
  await opened?.close()
  expect(await textsOf(7)).toBe(whole)
  expect(whole.length).toBeGreaterThan(5_000)
})

test('two hundred callers on a wallet for ten: ten are served', async () => {
  const price = 1000
  const relay = await open({ wallet: 10 * price, settings: perCall(price) })
  await relay.addChannel()
  const key = await relay.addToken()
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => relay.request(CHAT, key, { model: 'lab', messages })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(190)
  expect(await walletOf(relay)).toMatchObject({ quota: 0, used_quota: 10 * price })
})

const perCall = (units: number) => ({
  prices: {
    modelRatio: {},
    modelPrice: { lab: units / 500_000 },
    completionRatio: {},
    cacheRatio: {},
    createCacheRatio: {},
    groupRatio: { default: 1 },
  },
})

test('embeddings are charged for their input', async () => {
  const relay = await open()
  await relay.addChannel()
  const response = await relay.request('/v1/embeddings', await relay.addToken(), {
    model: 'lab',
    input: ['one', 'two'],
  })
  const answer = (await response.json()) as { data: unknown[]; usage: { prompt_tokens: number } }
  expect(answer.data).toHaveLength(2)
  expect(await walletOf(relay)).toMatchObject({ used_quota: answer.usage.prompt_tokens })
})

test('the model list holds what the group’s channels serve, within the token’s own list', async () => {
  const relay = await open()
  await relay.addChannel({ models: 'lab,gpt-4o' })
  await relay.addChannel({ models: 'hidden', group: 'vip' })
  const list = (await (await relay.request('/v1/models', await relay.addToken(), undefined)).json()) as {
    data: { id: string }[]
  }
  expect(list.data.map(({ id }) => id)).toEqual(['gpt-4o', 'lab'])
  const limited = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'lab' } })
  expect((await relay.request('/v1/models/gpt-4o', limited, undefined)).status).toBe(404)
  expect((await relay.request('/v1/models/lab', limited, undefined)).status).toBe(200)
})

test('addresses that are not served say so', async () => {
  const relay = await open()
  expect(await errorOf(await relay.request('/v1/files', '', undefined))).toMatchObject({ status: 501 })
  const deleting = new Request('http://gateway.test/v1/models/lab', { method: 'DELETE' })
  expect(await errorOf(await relay.handle(deleting))).toMatchObject({ status: 501 })
  expect(await errorOf(await relay.request('/v1/chat/completion', '', {}))).toMatchObject({ status: 404 })
})

test('a channel of a family serves its members, each under its own name', async () => {
  const prices = {
    modelRatio: { 'gpt-4-gizmo-*': 15 },
    modelPrice: {},
    completionRatio: {},
    cacheRatio: {},
    createCacheRatio: {},
    groupRatio: { default: 1 },
  }
  const relay = await open({ settings: { prices } })
  await relay.addChannel({ models: 'gpt-4-gizmo-*' })
  const key = await relay.addToken()
  const response = await relay.request(CHAT, key, { model: 'gpt-4-gizmo-g-abc', messages })
  expect(await response.json()).toMatchObject({ model: 'gpt-4-gizmo-g-abc' })
  expect((await relay.request(CHAT, key, { model: 'gpt-4-all', messages })).status).toBe(503)
})

test('the playground takes no access token, and says so', async () => {
  const relay = await open()
  const body = { model: 'lab', messages }
  const withToken = await relay.request('/pg/chat/completions', 'an-access-token', body)
  expect(await errorOf(withToken)).toMatchObject({ status: 400, code: 'access_token_not_supported' })
  const without = await relay.request('/pg/chat/completions', '', body)
  expect(await errorOf(without)).toMatchObject({ status: 401, code: 'unauthenticated' })
})

test('a mapped model is sent under its other name, priced and logged under the requested one', async () => {
  const relay = await open()
  await relay.addChannel({ model_mapping: '{"lab":"lab-tokens-3"}' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  await response.text()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  expect(JSON.parse(receipt.body).model).toEqual({ requested: 'lab', upstream: 'lab-tokens-3' })
  expect(await logsOf(relay)).toMatchObject([{ model_name: 'lab', completion_tokens: 3 }])
})

test.each(['high', 'x'.repeat(500)])(
  'the effort that a client asked for stands in the receipt',
  async effort => {
    const relay = await open()
    await relay.addChannel()
    const body = { model: 'lab', messages, reasoning_effort: effort }
    await (await relay.request(CHAT, await relay.addToken(), body)).text()
    const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
    expect(JSON.parse(receipt.body).reasoning_effort).toBe(effort.slice(0, 32))
  },
)

test('a status is mapped before it is answered', async () => {
  const relay = await open()
  await relay.addChannel({
    base_url: 'http://lab.test/lab/fault/status-400',
    status_code_mapping: '{"400":"502"}',
  })
  expect((await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })).status).toBe(502)
})

test('a channel with a dead key is disabled when the options allow it, and the super administrator is told', async () => {
  const lines: unknown[] = []
  const log = { ...noopLogger, warn: (...line: unknown[]) => void lines.push(line) }
  const relay = await open({ settings: { isAutomaticDisableEnabled: true }, log })
  const id = await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-401' })
  await (await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })).text()
  const channel = await relay.db
    .selectFrom('channels')
    .select(['status', 'other_info'])
    .executeTakeFirstOrThrow()
  expect(channel.status).toBe(3)
  const reason = JSON.parse(channel.other_info).status_reason
  expect(reason).toContain('401')
  expect(relay.disabled).toEqual([['lab', reason]])
  const [row] = await logsOf(relay)
  expect(lines).toEqual([
    ['a channel was disabled automatically', { request_id: row?.request_id, channel_id: id, reason }],
  ])
})
