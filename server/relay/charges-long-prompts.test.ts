import { expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-5.5'
const WALLET = 1_000_000_000

/** The charge of a response that reports this many input tokens, and the hold that was placed for it. */
async function chargeFor(promptTokens: number) {
  const relay = await TestRelay.open({
    wallet: WALLET,
    prices: createPriceBook({ GroupRatio: { default: 1 } }),
    send: sendThrough(async () =>
      Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: promptTokens, completion_tokens: 10 },
      }),
    ),
  })
  await relay.addChannel({ models: MODEL })
  const messages = [{ role: 'user', content: 'word '.repeat(promptTokens) }]
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), {
    model: MODEL,
    max_tokens: 10,
    messages,
  })
  expect(response.status).toBe(200)
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  const { body } = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect(drift).toBe(0)
  return { quota, receipt: JSON.parse(body) }
}

test('charges a prompt above the length of its provider at the higher price, within the hold', async () => {
  const { quota, receipt } = await chargeFor(280_000)
  expect(quota).toBe(280_000 * 5 + 10 * 22.5)
  expect(receipt.lines).toEqual([
    { bucket: 'input', tokens: 280_000, ratio: 2, amount: '1400000', above: 272_000 },
    { bucket: 'output', tokens: 10, ratio: 9, amount: '225', above: 272_000 },
  ])
  expect(receipt.hold).toBeGreaterThanOrEqual(quota)
})

test('charges a prompt of just that length at the usual price', async () => {
  const { quota, receipt } = await chargeFor(272_000)
  expect(quota).toBe(272_000 * 2.5 + 10 * 15)
  expect(receipt.lines[0]).not.toHaveProperty('above')
})
