import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-5.5'
/** In billionths of a dollar, by the catalogue: $5 and $30 per million. */
const LISTED_NANOS = 8_000_000

let relay: TestRelay
afterEach(async () => {
  expect((await auditLedger(relay.db)).drift).toBe(0)
  await relay.close()
})

test.each([
  [
    'what the provider charges, at the purchase price of the channel',
    { purchase_factor: 0.8 },
    LISTED_NANOS * 0.8,
  ],
  ['no cost where the purchase price is unknown', {}, undefined],
])('a receipt keeps %s', async (_, setting, cost) => {
  relay = await TestRelay.open({
    wallet: 1_000_000_000,
    prices: createPriceBook({ GroupRatio: { default: 1 } }),
    send: sendThrough(async () =>
      Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1_000, completion_tokens: 100 },
      }),
    ),
  })
  await relay.addChannel({ models: MODEL, setting: JSON.stringify(setting) })
  const messages = [{ role: 'user', content: 'hi' }]
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), {
    model: MODEL,
    messages,
  })
  expect(response.status).toBe(200)
  const receipts = await relay.db.selectFrom('receipts').select('body').execute()
  expect(receipts.map(({ body }) => JSON.parse(body).cost_nanos)).toEqual([cost])
})
