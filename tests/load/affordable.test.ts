import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/accounts/users.ts'
import { sleepMs } from '../../server/core/clock.ts'
import chat from '../../server/lab/openai/fixtures/chat.json'
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
const UNITS_PER_DOLLAR = 500_000
/** Stores that the processes of one installation share. */
const SECRET_KEY = 'the secret key of two gateways'
const CONTENT = 'hello'
/** Less than the hold for ten tokens. */
const USAGE = { prompt_tokens: 6, completion_tokens: 4, total_tokens: 10 }
const DECISION_TIMEOUT_MS = 45_000
/** Time after which every process has read a change made by another. */
const NEWS_MS = 1_500

const stores = [
  { store: 'one gateway on SQLite', isShared: false },
  { store: 'two gateways on one PostgreSQL', isShared: true },
] as const

const upstream = startUpstream()
upstream.respondWith(JSON.stringify({ ...chat, usage: USAGE }), 'application/json')
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
      vendor: 'openai',
      models: [BY_THE_CALL, BY_THE_TOKEN],
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

  test('leaves a balanced ledger without open holds', async () => {
    const audit = await verifyLedger({ ...environment, DATA_DIR: site.gateway.dataDir })
    expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  })
})
