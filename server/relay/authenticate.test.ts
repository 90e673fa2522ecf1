import { afterEach, expect, test } from 'bun:test'
import { newRequestId } from '../kernel/id.ts'
import { quota } from '../kernel/money.ts'
import { TestRelay } from '../testing/test-relay.ts'

const CHAT = '/v1/chat/completions'
const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }] }
const PRICES = {
  modelRatio: {},
  modelPrice: { lab: 0.001 },
  completionRatio: {},
  cacheRatio: {},
  createCacheRatio: {},
  groupRatio: { default: 1 },
}

let relay: TestRelay | undefined
afterEach(async () => {
  await relay?.close()
  relay = undefined
})

const statusOfToken = ({ db }: TestRelay) => db.selectFrom('tokens').select('status').executeTakeFirst()

test('a token whose last units are only reserved works again once they come back', async () => {
  relay = await TestRelay.open({ settings: { prices: PRICES } })
  await relay.addChannel()
  const key = await relay.addToken({ remain: 500 })
  const { id: tokenId } = await relay.db.selectFrom('tokens').select('id').executeTakeFirstOrThrow()
  const { ledger } = relay.gateway
  const hold = await ledger.reserve({
    requestId: newRequestId(),
    userId: relay.userId,
    tokenId,
    isTokenLimited: true,
    amount: quota(500),
  })
  expect((await relay.ask(CHAT, key, body)).status).toBe(401)
  await ledger.release(hold)
  expect((await relay.ask(CHAT, key, body)).status).toBe(200)
})

test('a token that is spent for good shows so in lists from its next use on', async () => {
  relay = await TestRelay.open({ settings: { prices: PRICES } })
  await relay.addChannel()
  const key = await relay.addToken({ remain: 500 })
  await (await relay.ask(CHAT, key, body)).text()
  expect(await statusOfToken(relay)).toEqual({ status: 1 })
  expect((await relay.ask(CHAT, key, body)).status).toBe(401)
  expect(await statusOfToken(relay)).toEqual({ status: 4 })
})
