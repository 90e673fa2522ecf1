import { afterEach, expect, test } from 'bun:test'
import { testPrices } from '../../testing/test-prices.ts'
import { TestRelay } from '../../testing/test-relay.ts'

const UNPARSEABLE = '{"model":'
const CHAT = '/v1/chat/completions'
const BODY = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }

let relay: TestRelay
afterEach(() => relay.close())

test.each([
  [CHAT, 403],
  ['/v1/messages', 429],
  ['/v1/responses', 429],
  ['/v1beta/models/lab:generateContent', 403],
  ['/v1/embeddings', 403],
  ['/mj/submit/imagine', 400],
])('rejects a request to %s with an empty wallet without looking at its body', async (path, status) => {
  relay = await TestRelay.open({ wallet: 0 })
  await relay.addChannel()
  const response = await relay.request(path, await relay.addToken(), UNPARSEABLE)
  expect(response.status).toBe(status)
  expect(await response.text()).toMatch(/0 units left/)
})

test('serves free models, counts tokens and lists models with an empty wallet', async () => {
  relay = await TestRelay.open({ wallet: 0 })
  await relay.addChannel({ models: 'lab' })
  const key = await relay.addToken()
  const statusOf = async (path: string, body?: object) => (await relay.request(path, key, body)).status
  expect(await statusOf(CHAT, BODY)).toBe(403)
  expect(await statusOf('/v1/messages/count_tokens', { ...BODY, max_tokens: 1 })).toBe(200)
  expect(await statusOf('/v1/models')).toBe(200)
  await relay.close()

  relay = await TestRelay.open({
    wallet: 0,
    settings: { prices: testPrices({ ModelRatio: { lab: 1, gift: 0 } }) },
  })
  await relay.addChannel({ models: 'lab,gift' })
  const again = await relay.addToken()
  expect((await relay.request(CHAT, again, { ...BODY, model: 'gift' })).status).toBe(200)
  expect(await (await relay.request(CHAT, again, BODY)).text()).toContain('insufficient_user_quota')
})
