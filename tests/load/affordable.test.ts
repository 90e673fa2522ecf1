import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/users.ts'
import { sleepMs } from '../../server/kernel/clock.ts'
import { type ChatAnswer, callChat, errorOf } from '../harness/call-chat.ts'
import { theLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Gateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyBooks } from '../harness/verify-books.ts'

const REQUESTS = 200
const AFFORDABLE = 10
const BY_THE_CALL = 'by-the-call'
const BY_THE_TOKEN = 'by-the-token'
const UNITS_PER_DOLLAR = 500_000
/** What machines of one installation share. */
const SECRET_KEY = 'the secret key of two gateways'
/** All of them are under way before the first is settled. */
const SLOW = 'hello [lab: slow-headers-1500]'
/** After which every process has read a change that another one made. */
const NEWS_MS = 1_500

const stores = [
  { store: 'one gateway on SQLite', isShared: false },
  { store: 'two gateways on one PostgreSQL', isShared: true },
] as const

describe.each(stores)('with $store', ({ isShared }) => {
  let postgres: PostgresDatabase | undefined
  let site: Site
  let second: Gateway | undefined
  let key: string
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    postgres = isShared ? await openPostgres() : undefined
    environment = postgres ? { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY } : {}
    site = await startSite({ environment })
    second = isShared ? await startGateway({ environment }) : undefined
    await addLabChannel(site.root, site.lab, { vendor: 'openai', models: [BY_THE_CALL, BY_THE_TOKEN] })
    key = (await addToken(site.root)).key
  })

  afterAll(async () => {
    await Promise.all([site?.stop(), second?.stop()])
    await postgres?.stop()
  })

  let calls = 0
  /** Calls go to the gateways in turn. */
  const ask = (model: string, content: string, askedKey = key): Promise<ChatAnswer> => {
    calls += 1
    const { url } = second && calls % 2 === 0 ? second : site.gateway
    const body = { model, max_tokens: 10, messages: [{ role: 'user', content }] }
    return callChat({ url, key: askedKey, body })
  }
  const walletOfRoot = async (): Promise<number> => (await site.root.call(getSelf)).quota
  const setPrices = async (options: Parameters<typeof setOptions>[1]): Promise<void> => {
    await setOptions(site.root, options)
    await sleepMs(NEWS_MS)
  }

  /** Asks all at once and holds the outcome to exactly ten; gives the ten. */
  async function expectTen(model: string, code: string, askedKey = key): Promise<readonly ChatAnswer[]> {
    const answers = await Promise.all(Array.from({ length: REQUESTS }, () => ask(model, SLOW, askedKey)))
    const served = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(served).toHaveLength(AFFORDABLE)
    expect(new Set(refused.map(answer => `${answer.status} ${errorOf(answer).code}`))).toEqual(
      new Set([`403 ${code}`]),
    )
    return served
  }

  test(`of ${REQUESTS} calls at once on a token that affords ${AFFORDABLE}, exactly ${AFFORDABLE} are served`, async () => {
    const price = 1_000
    await setPrices({ ModelPrice: { [BY_THE_CALL]: price / UNITS_PER_DOLLAR } })
    const limit = price * (AFFORDABLE + 1) - 1
    const poor = await addToken(site.root, { unlimited_quota: false, remain_quota: limit })
    const before = await walletOfRoot()
    await expectTen(BY_THE_CALL, 'insufficient_token_quota', poor.key)
    expect(before - (await walletOfRoot())).toBe(price * AFFORDABLE)
  })

  test(`of ${REQUESTS} calls at once by the token, the wallet serves the ${AFFORDABLE} that it affords`, async () => {
    await setPrices({ ModelRatio: { [BY_THE_TOKEN]: 1 } })
    const sample = await ask(BY_THE_TOKEN, SLOW)
    const held = (await theLog(site.root, sample.requestId)).detail.bill?.hold ?? 0
    const before = await walletOfRoot()
    const ratio = Math.floor(before / (held * AFFORDABLE))
    expect(held * ratio * (AFFORDABLE + 1)).toBeGreaterThan(before)
    await setPrices({ ModelRatio: { [BY_THE_TOKEN]: ratio } })
    const served = await expectTen(BY_THE_TOKEN, 'insufficient_user_quota')
    const rows = await Promise.all(served.map(({ requestId }) => theLog(site.root, requestId)))
    const charged = rows.reduce((sum, row) => sum + row.quota, 0)
    expect(before - (await walletOfRoot())).toBe(charged)
    expect(charged).toBeGreaterThan(0)
  })

  test(`of ${REQUESTS} calls at once with a price each, the wallet serves the ${AFFORDABLE} that it affords`, async () => {
    const before = await walletOfRoot()
    const price = Math.floor(before / AFFORDABLE)
    await setPrices({ ModelPrice: { [BY_THE_CALL]: price / UNITS_PER_DOLLAR } })
    await expectTen(BY_THE_CALL, 'insufficient_user_quota')
    expect(await walletOfRoot()).toBe(before - price * AFFORDABLE)
  })

  test('afterwards the books balance and nothing is held', async () => {
    const books = await verifyBooks({ ...environment, DATA_DIR: site.gateway.dataDir })
    expect(books).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  })
})
