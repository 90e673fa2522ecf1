import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { sleepMs } from '#server/core/clock.ts'
import chat from '#server/lab/openai/fixtures/chat.json'
import { addUser } from '../harness/add-user.ts'
import { type ChatResult, callChat, errorOf } from '../harness/call-chat.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream } from '../harness/start-upstream.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const REQUESTS = 1_000
const AFFORDABLE = 10
const BY_THE_CALL = 'by-the-call'
const BY_THE_TOKEN = 'by-the-token'
const LONG_WINDED = 'gpt-4'
/** The longest answer of that model, which every call gets. */
const LARGEST_OUTPUT = 8_192
const UNITS_PER_DOLLAR = 500_000
/** Stores that the processes of one installation share. */
const SECRET_KEY = 'the secret key of two gateways'
const CONTENT = 'hello'
/** Less than the hold for ten tokens. */
const USAGE = { prompt_tokens: 6, completion_tokens: 4, total_tokens: 10 }
const DECISION_TIMEOUT_MS = 45_000
/** Time after which every process has read a change made by another. */
const NEWS_MS = 1_500

const message = { role: 'user', content: CONTENT }
const longWinded = { model: LONG_WINDED, messages: [message] }
const limit = { max_tokens: LARGEST_OUTPUT }
/** With and without a limit, in one piece and streamed, in several dialects. */
const KINDS = [
  { path: '/v1/chat/completions', body: longWinded },
  { path: '/v1/chat/completions', body: { ...longWinded, stream: true } },
  { path: '/v1/chat/completions', body: { ...longWinded, ...limit } },
  { path: '/v1/chat/completions', body: { ...longWinded, ...limit, stream: true } },
  { path: '/v1/messages', body: { ...longWinded, ...limit } },
  { path: '/v1/messages', body: { ...longWinded, ...limit, stream: true } },
  {
    path: `/v1beta/models/${LONG_WINDED}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: CONTENT }] }] },
  },
] as const

const stores = [
  { store: 'one gateway on SQLite', isShared: false },
  { store: 'two gateways on one PostgreSQL', isShared: true },
] as const

const upstream = startUpstream()
const respondShortly = () =>
  upstream.respondWith(JSON.stringify({ ...chat, usage: USAGE }), 'application/json')
respondShortly()
afterAll(() => upstream.stop())

describe.each(stores)('with $store', ({ isShared }) => {
  let postgres: PostgresDatabase | undefined
  let site: Site
  let second: RunningGateway | undefined
  let key: string
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    postgres = isShared ? await openPostgres() : undefined
    environment = postgres ? { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY } : {}
    site = await startSite({ environment })
    second = isShared ? await startGateway({ environment }) : undefined
    await addLabChannel(site.root, site.lab, {
      provider: 'openai',
      models: [BY_THE_CALL, BY_THE_TOKEN, LONG_WINDED],
      draft: { base_url: upstream.url },
    })
    key = (await addToken(site.root)).key
  })

  afterAll(async () => {
    await Promise.all([site?.stop(), second?.stop()])
    await postgres?.stop()
  })

  let calls = 0
  /** Gateways that receive the calls in turn. */
  const ask = (model: string, content: string, tokenKey = key): Promise<ChatResult> => {
    calls += 1
    const { url } = second && calls % 2 === 0 ? second : site.gateway
    const body = { model, max_tokens: 10, messages: [{ role: 'user', content }] }
    return callChat({ url, key: tokenKey, body })
  }
  const walletOfRoot = async (): Promise<number> => (await site.root.call(getSelf)).quota
  const setPrices = async (options: Parameters<typeof setOptions>[1]): Promise<void> => {
    await setOptions(site.root, options)
    await sleepMs(NEWS_MS)
  }

  /**
   * Sends all calls at once, expects exactly ten to be served and returns them. None is answered before every other
   * is rejected, because the refund of a served request could pay for another.
   */
  async function expectTen(model: string, error: string, tokenKey = key): Promise<readonly ChatResult[]> {
    const waiting = upstream.holdResponses()
    let rejectedCount = 0
    const requested = Array.from({ length: REQUESTS }, async () => {
      const response = await ask(model, CONTENT, tokenKey)
      if (response.status !== 200) rejectedCount += 1
      return response
    })
    await waitUntil(
      { description: 'each call to be refused or under way', timeoutMs: DECISION_TIMEOUT_MS },
      () => rejectedCount + waiting.count() === REQUESTS,
    )
    waiting.release()
    const responses = await Promise.all(requested)
    const served = responses.filter(({ status }) => status === 200)
    const rejected = responses.filter(({ status }) => status !== 200)
    expect(served).toHaveLength(AFFORDABLE)
    expect(new Set(rejected.map(response => `${response.status} ${errorOf(response).code}`))).toEqual(
      new Set([error]),
    )
    return served
  }

  test(`serves exactly ${AFFORDABLE} of ${REQUESTS} concurrent calls on a token that affords ${AFFORDABLE}`, async () => {
    const price = 1_000
    await setPrices({ ModelPrice: { [BY_THE_CALL]: price / UNITS_PER_DOLLAR } })
    const limit = price * (AFFORDABLE + 1) - 1
    const poor = await addToken(site.root, { unlimited_quota: false, remain_quota: limit })
    const before = await walletOfRoot()
    await expectTen(BY_THE_CALL, '403 insufficient_token_quota', poor.key)
    expect(before - (await walletOfRoot())).toBe(price * AFFORDABLE)
  })

  test(`serves exactly ${AFFORDABLE} of ${REQUESTS} concurrent calls on a token limited to ${AFFORDABLE} at a time, and more once they end`, async () => {
    const narrow = await addToken(site.root, { max_concurrency: AFFORDABLE })
    const before = await walletOfRoot()
    const served = await expectTen(BY_THE_CALL, '429 too_many_requests', narrow.key)
    const rows = await Promise.all(served.map(({ requestId }) => waitForLog(site.root, requestId)))
    expect(before - (await walletOfRoot())).toBe(rows.reduce((sum, row) => sum + row.quota, 0))
    expect((await ask(BY_THE_CALL, CONTENT, narrow.key)).status).toBe(200)
  })

  test(`serves exactly the ${AFFORDABLE} of ${REQUESTS} concurrent calls that the wallet affords`, async () => {
    await setPrices({ ModelRatio: { [BY_THE_TOKEN]: 1 } })
    const sample = await ask(BY_THE_TOKEN, CONTENT)
    const held = (await waitForLog(site.root, sample.requestId)).detail.bill?.hold ?? 0
    const before = await walletOfRoot()
    const ratio = Math.floor(before / (held * AFFORDABLE))
    expect(held * ratio * (AFFORDABLE + 1)).toBeGreaterThan(before)
    await setPrices({ ModelRatio: { [BY_THE_TOKEN]: ratio } })
    const served = await expectTen(BY_THE_TOKEN, '403 insufficient_user_quota')
    const rows = await Promise.all(served.map(({ requestId }) => waitForLog(site.root, requestId)))
    const charged = rows.reduce((sum, row) => sum + row.quota, 0)
    expect(before - (await walletOfRoot())).toBe(charged)
    expect(charged).toBeGreaterThan(0)
  })

  test(`serves exactly the ${AFFORDABLE} of ${REQUESTS} concurrent fixed-price calls that the wallet affords`, async () => {
    const before = await walletOfRoot()
    const price = Math.floor(before / AFFORDABLE)
    await setPrices({ ModelPrice: { [BY_THE_CALL]: price / UNITS_PER_DOLLAR } })
    await expectTen(BY_THE_CALL, '403 insufficient_user_quota')
    expect(await walletOfRoot()).toBe(before - price * AFFORDABLE)
  })

  test(`overdraws a wallet for ${AFFORDABLE} answers by at most one, with ${REQUESTS} concurrent calls of every kind`, async () => {
    await setPrices({ ModelRatio: { [LONG_WINDED]: 1 }, CompletionRatio: { [LONG_WINDED]: 1 } })
    const usage = { ...USAGE, completion_tokens: LARGEST_OUTPUT }
    const cost = usage.prompt_tokens + usage.completion_tokens
    upstream.respondWith(JSON.stringify({ ...chat, model: LONG_WINDED, usage }), 'application/json')
    const user = await addUser(site.gateway, { username: 'thrifty', wallet: cost * AFFORDABLE })
    const limited = { unlimited_quota: false, remain_quota: cost * AFFORDABLE }
    const tokens = [await addToken(user), await addToken(user, limited)]
    const waiting = upstream.holdResponses()
    let rejectedCount = 0
    const requested = Array.from({ length: REQUESTS }, async (_, index) => {
      const { url } = second && index % 2 === 0 ? second : site.gateway
      const { path, body } = KINDS[index % KINDS.length] ?? KINDS[0]
      const token = tokens[index % tokens.length]?.key
      const headers = { authorization: `Bearer sk-${token}`, 'content-type': 'application/json' }
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!response.ok) rejectedCount += 1
      return { isServed: response.ok, text: await response.text() }
    })
    await waitUntil(
      { description: 'each call to be refused or under way', timeoutMs: DECISION_TIMEOUT_MS },
      () => rejectedCount + waiting.count() === REQUESTS,
    )
    waiting.release()
    const served = (await Promise.all(requested)).filter(({ isServed }) => isServed)
    respondShortly()
    expect(served.length).toBeGreaterThanOrEqual(AFFORDABLE - 1)
    const { quota } = await user.call(getSelf)
    expect(quota).toBeGreaterThanOrEqual(-cost)
    expect(quota).toBeLessThanOrEqual(cost)
  })

  test('leaves a balanced ledger without open holds', async () => {
    const audit = await verifyLedger({ ...environment, DATA_DIR: site.gateway.dataDir })
    expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  })
})
