import { expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import cached from '../providers/anthropic/fixtures/message-cached.json'
import { testPrices } from '../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'claude-sonnet-4-5'
/** 12 input tokens, 2,048 cached at a tenth, 200 written for minutes, 100 for an hour, 5 output tokens. */
const AMOUNT = 12 + 2048 * 0.1 + 200 * 1.25 + 100 * 2 + 5 * 5

test('charges cache writes for an hour at twice the input price, as the receipt shows', async () => {
  const relay = await TestRelay.open({
    prices: testPrices({
      ModelRatio: { [MODEL]: 1 },
      CompletionRatio: { [MODEL]: 5 },
      CacheRatio: { [MODEL]: 0.1 },
    }),
    send: sendThrough(async () => Response.json(cached)),
  })
  await relay.addChannel({ type: 14, models: MODEL })
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), {
    model: MODEL,
    max_tokens: 10,
    messages: [{ role: 'user', content: 'hello '.repeat(3000) }],
  })
  expect(await response.json()).toMatchObject({
    usage: { prompt_tokens: 2360, prompt_tokens_details: { cache_creation_tokens: 300 } },
  })
  const row = await relay.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  const { body } = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  expect(row).toMatchObject({ quota: Math.round(AMOUNT), prompt_tokens: 2360 })
  expect(JSON.parse(body)).toMatchObject({
    price: { create_cache_ratio: 1.25, create_cache_ratio_1h: 2 },
    usage: { cacheWrite: 200, cacheWriteHour: 100 },
    lines: expect.arrayContaining([
      { bucket: 'cacheWrite', tokens: 200, ratio: 1.25, amount: '250' },
      { bucket: 'cacheWriteHour', tokens: 100, ratio: 2, amount: '200' },
    ]),
  })
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect(drift).toBe(0)
})
