import { afterEach, expect, test } from 'bun:test'
import { readStoredText } from '../core/language.ts'
import { noopLogger } from '../core/logger.ts'
import { auditLedger } from '../ledger/audit.ts'
import { testPrices } from '../testing/test-prices.ts'
import { TestRelay } from '../testing/test-relay.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]

let opened: TestRelay | undefined
async function open(options: Parameters<typeof TestRelay.open>[0] = {}): Promise<TestRelay> {
  opened = await TestRelay.open(options)
  return opened
}

/** After every test the ledger must balance and no hold may be open. */
afterEach(async () => {
  if (!opened) return
  const { drift, findings } = await auditLedger(opened.db)
  const holds = await opened.db.selectFrom('holds').selectAll().execute()
  await opened.close()
  opened = undefined
  expect({ drift, findings, holds }).toEqual({ drift: 0, findings: [], holds: [] })
})

const getWallet = async ({ db, userId }: TestRelay) => {
  const user = await db
    .selectFrom('users')
    .select(['quota', 'used_quota', 'request_count'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return user
}
const listLogs = ({ db }: TestRelay) => db.selectFrom('logs').selectAll().orderBy('id').execute()
const readError = async (response: Response) => {
  const { error } = (await response.json()) as { error: { message: string; code: string } }
  return { status: response.status, code: error.code, message: error.message }
}

test('charges a JSON response once by the price formula and logs it', async () => {
  const relay = await open()
  await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  const reply = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const charge = reply.usage.prompt_tokens + 2 * reply.usage.completion_tokens
  expect(response.status).toBe(200)
  expect(await getWallet(relay)).toEqual({ quota: 1_000_000 - charge, used_quota: charge, request_count: 1 })
  expect(await listLogs(relay)).toMatchObject([
    { type: 2, quota: charge, model_name: 'lab', prompt_tokens: reply.usage.prompt_tokens, is_stream: 0 },
  ])
})

test('charges a streamed response like a JSON one', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken()
  await (await relay.request(CHAT, key, { model: 'lab', messages })).text()
  const streamed = await relay.request(CHAT, key, { model: 'lab', messages, stream: true })
  expect(streamed.headers.get('content-type')).toContain('text/event-stream')
  const text = await streamed.text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).not.toContain('"usage":{')
  const [jsonLog, streamLog] = await listLogs(relay)
  expect(streamLog).toMatchObject({ quota: jsonLog?.quota, is_stream: 1 })
})

test('charges the wallet and the limit of a limited token', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken({ remain: 5000 })
  await (await relay.request(CHAT, key, { model: 'lab', messages })).text()
  const { used_quota } = await getWallet(relay)
  const token = await relay.db
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota'])
    .executeTakeFirstOrThrow()
  expect(token).toEqual({ remain_quota: 5000 - used_quota, used_quota })
})

test('rejects a request that the wallet cannot afford before it calls an upstream', async () => {
  const relay = await open({ wallet: 10 })
  await relay.addChannel()
  const key = await relay.addToken()
  const error = await readError(await relay.request(CHAT, key, { model: 'lab', messages }))
  expect(error).toMatchObject({ status: 403, code: 'insufficient_user_quota' })
  expect(error.message).toContain('(request id: ')
  expect(await getWallet(relay)).toMatchObject({ quota: 10, used_quota: 0 })
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
])('rejects a token with %j with %d %s', async (columns, status, code) => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken({ columns })
  expect(await readError(await relay.request(CHAT, key, { model: 'lab', messages }))).toMatchObject({
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
])('rejects the body %j as %s and charges nothing', async (body, code) => {
  const relay = await open()
  await relay.addChannel()
  expect(await readError(await relay.request(CHAT, await relay.addToken(), body))).toMatchObject({
    status: 400,
    code,
  })
  expect(await getWallet(relay)).toMatchObject({ quota: 1_000_000 })
})

test('distinguishes a missing key, an unknown key and a banned owner', async () => {
  const relay = await open()
  await relay.addChannel()
  const key = await relay.addToken()
  const body = { model: 'lab', messages }
  expect(await readError(await relay.request(CHAT, '', body))).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
  expect(await readError(await relay.request(CHAT, 'nobody', body))).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
  await relay.db.updateTable('users').set({ status: 2 }).execute()
  expect(await readError(await relay.request(CHAT, key, body))).toMatchObject({
    status: 403,
    code: 'user_banned',
  })
})

test('responds 404 with group and model when no channel serves the model', async () => {
  const relay = await open()
  const error = await readError(
    await relay.request(CHAT, await relay.addToken(), { model: 'nothing', messages }),
  )
  expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
  expect(error.message).toContain('default')
  expect(error.message).toContain('nothing')
})

test('rejects a model without a price and charges nothing', async () => {
  const relay = await open()
  await relay.addChannel({ models: 'unpriced' })
  const error = await readError(
    await relay.request(CHAT, await relay.addToken(), { model: 'unpriced', messages }),
  )
  expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
  expect(await getWallet(relay)).toMatchObject({ quota: 1_000_000 })
})

test('tries the next channel after a failure and records both in the receipt', async () => {
  const relay = await open({ options: { RetryTimes: 1 } })
  const failing = await relay.addChannel({ priority: 5, base_url: 'http://lab.test/lab/fault/status-500' })
  const working = await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  expect(response.status).toBe(200)
  await response.text()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  expect(JSON.parse(receipt.body).attempts).toMatchObject([
    { channel_id: failing, status: 500 },
    { channel_id: working, status: 200 },
  ])
})

test('tries the next channel after an error in the first event of a stream', async () => {
  const relay = await open({ options: { RetryTimes: 1 } })
  await relay.addChannel({ priority: 5, base_url: 'http://lab.test/lab/fault/error-event-0' })
  await relay.addChannel()
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  expect(response.status).toBe(200)
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
})

test('returns and logs the last failure and charges nothing when all channels fail', async () => {
  const relay = await open({ options: { RetryTimes: 3 } })
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-500' })
  const failed = await readError(
    await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages }),
  )
  expect(failed.status).toBe(500)
  expect(await getWallet(relay)).toMatchObject({ quota: 1_000_000, used_quota: 0 })
  expect(await listLogs(relay)).toMatchObject([{ type: 5, quota: 0 }])
})

test('charges a disconnected client for what was delivered', async () => {
  const relay = await open()
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/pace-5+tokens-200' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.read()
  await reader?.cancel()
  const [log] = await listLogs(relay)
  expect(log).toMatchObject({ type: 2 })
  expect(log?.quota).toBeGreaterThan(0)
  expect(log?.completion_tokens).toBeLessThan(200)
})

test('extends the hold of a long stream until the wallet is empty', async () => {
  const relay = await open({ wallet: 1_200, options: { PreConsumedQuota: 100 } })
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/tokens-5000' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages, stream: true })
  const text = await response.text()
  expect(text).toContain('insufficient_user_quota')
  expect(text).not.toContain('[DONE]')
  const { quota, used_quota } = await getWallet(relay)
  expect(quota).toBeGreaterThanOrEqual(0)
  expect(used_quota).toBeGreaterThan(900)
})

test('delivers every token exactly once while extending the hold', async () => {
  const readContent = async (preConsumedTokens: number): Promise<string> => {
    const relay = await open({ options: { PreConsumedQuota: preConsumedTokens } })
    await relay.addChannel({ base_url: 'http://lab.test/lab/fault/tokens-5000' })
    const response = await relay.request(CHAT, await relay.addToken(), {
      model: 'lab',
      messages,
      stream: true,
    })
    const text = await response.text()
    return [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
      .map(found => JSON.parse(found[1] ?? ''))
      .join('')
  }
  const expected = await readContent(20_000)
  await opened?.close()
  expect(await readContent(7)).toBe(expected)
  expect(expected.length).toBeGreaterThan(5_000)
})

test('serves ten of two hundred concurrent requests on a wallet for ten', async () => {
  const price = 1000
  const relay = await open({ wallet: 10 * price, ...perCall(price) })
  await relay.addChannel()
  const key = await relay.addToken()
  const responses = await Promise.all(
    Array.from({ length: 200 }, () => relay.request(CHAT, key, { model: 'lab', messages })),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(responses.filter(({ status }) => status === 403)).toHaveLength(190)
  expect(await getWallet(relay)).toMatchObject({ quota: 0, used_quota: 10 * price })
})

const perCall = (units: number) => ({
  prices: testPrices({
    ModelPrice: { lab: units / 500_000 },
  }),
})

test('charges embeddings for their input', async () => {
  const relay = await open()
  await relay.addChannel()
  const response = await relay.request('/v1/embeddings', await relay.addToken(), {
    model: 'lab',
    input: ['one', 'two'],
  })
  const reply = (await response.json()) as { data: unknown[]; usage: { prompt_tokens: number } }
  expect(reply.data).toHaveLength(2)
  expect(await getWallet(relay)).toMatchObject({ used_quota: reply.usage.prompt_tokens })
})

test('lists the models that the group’s channels serve and the token allows', async () => {
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

test('distinguishes paths that are not implemented from unknown ones', async () => {
  const relay = await open()
  expect(await readError(await relay.request('/v1/files', '', undefined))).toMatchObject({ status: 501 })
  const deletion = new Request('http://gateway.test/v1/models/lab', { method: 'DELETE' })
  expect(await readError(await relay.handle(deletion))).toMatchObject({ status: 501 })
  expect(await readError(await relay.request('/v1/chat/completion', '', {}))).toMatchObject({ status: 404 })
})

test('serves each member of a model family under its own name', async () => {
  const prices = testPrices({
    ModelRatio: { 'gpt-4-gizmo-*': 15 },
  })
  const relay = await open({ prices })
  await relay.addChannel({ models: 'gpt-4-gizmo-*' })
  const key = await relay.addToken()
  const response = await relay.request(CHAT, key, { model: 'gpt-4-gizmo-g-abc', messages })
  expect(await response.json()).toMatchObject({ model: 'gpt-4-gizmo-g-abc' })
  expect((await relay.request(CHAT, key, { model: 'gpt-4-all', messages })).status).toBe(404)
})

test('rejects access tokens in the playground with a reason', async () => {
  const relay = await open()
  const body = { model: 'lab', messages }
  const tokenResponse = await relay.request('/pg/chat/completions', 'an-access-token', body)
  expect(await readError(tokenResponse)).toMatchObject({ status: 400, code: 'access_token_not_supported' })
  const anonymousResponse = await relay.request('/pg/chat/completions', '', body)
  expect(await readError(anonymousResponse)).toMatchObject({ status: 401, code: 'unauthenticated' })
})

test('sends a mapped model name upstream but prices and logs the requested one', async () => {
  const relay = await open()
  await relay.addChannel({ model_mapping: '{"lab":"lab-tokens-3"}' })
  const response = await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })
  await response.text()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  expect(JSON.parse(receipt.body).model).toEqual({ requested: 'lab', upstream: 'lab-tokens-3' })
  expect(await listLogs(relay)).toMatchObject([{ model_name: 'lab', completion_tokens: 3 }])
})

test.each(['high', 'x'.repeat(500)])(
  'records the requested reasoning effort in the receipt, clipped to 32 characters',
  async effort => {
    const relay = await open()
    await relay.addChannel()
    const body = { model: 'lab', messages, reasoning_effort: effort }
    await (await relay.request(CHAT, await relay.addToken(), body)).text()
    const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
    expect(JSON.parse(receipt.body).reasoning_effort).toBe(effort.slice(0, 32))
  },
)

test('maps an upstream status before responding', async () => {
  const relay = await open()
  await relay.addChannel({
    base_url: 'http://lab.test/lab/fault/status-400',
    status_code_mapping: '{"400":"502"}',
  })
  expect((await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })).status).toBe(502)
})

test('disables a channel with a revoked key when the options allow it and notifies the super administrator', async () => {
  const lines: unknown[] = []
  const log = { ...noopLogger, warn: (...line: unknown[]) => void lines.push(line) }
  const relay = await open({ options: { AutomaticDisableChannelEnabled: true }, log })
  const id = await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-401' })
  await (await relay.request(CHAT, await relay.addToken(), { model: 'lab', messages })).text()
  const channel = await relay.db
    .selectFrom('channels')
    .select(['status', 'other_info'])
    .executeTakeFirstOrThrow()
  expect(channel.status).toBe(3)
  const reason = readStoredText(JSON.parse(channel.other_info).status_reason, 'en')
  expect(reason).toContain('401')
  expect(relay.disabled).toEqual([['lab', reason]])
  const [row] = await listLogs(relay)
  expect(lines).toEqual([
    ['a channel was disabled automatically', { request_id: row?.request_id, channel_id: id, reason }],
  ])
})
