import { expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-5.5'
const WALLET = 1_000_000_000
const TOKENS = { prompt_tokens: 1_000, completion_tokens: 100 }

interface Case {
  /** The requested tier, the provider's response, and the channel's setting. */
  readonly requested?: object
  readonly reported?: object
  readonly setting?: object
}

async function charge({ requested = {}, reported = {}, setting = {} }: Case) {
  const relay = await TestRelay.open({
    wallet: WALLET,
    prices: createPriceBook({ GroupRatio: { default: 1 } }),
    send: sendThrough(async () =>
      Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: TOKENS,
        ...reported,
      }),
    ),
  })
  await relay.addChannel({ models: MODEL, setting: JSON.stringify(setting) })
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), {
    model: MODEL,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
    ...requested,
  })
  expect(response.status).toBe(200)
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  const { body } = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect(drift).toBe(0)
  return { quota, receipt: JSON.parse(body) }
}

const USUAL = 1_000 * 2.5 + 100 * 15

test('charges the tier that served the request, within the hold, and names it', async () => {
  const { quota, receipt } = await charge({
    requested: { service_tier: 'priority' },
    reported: { service_tier: 'priority' },
  })
  expect(quota).toBe(USUAL * 2.5)
  expect(receipt.lines[0]).toMatchObject({ bucket: 'input', tier: 'priority', amount: '6250' })
  expect(receipt.extra_usage).toEqual({ service_tier: 'priority' })
  expect(receipt.hold).toBeGreaterThanOrEqual(quota)
})

test('charges the default tier when the provider served that instead', async () => {
  const { quota, receipt } = await charge({
    requested: { service_tier: 'priority' },
    reported: { service_tier: 'default' },
  })
  expect(quota).toBe(USUAL)
  expect(receipt.lines[0]).not.toHaveProperty('tier')
})

test('charges a cheaper tier less', async () => {
  const flex = { service_tier: 'flex' }
  expect((await charge({ requested: flex, reported: flex })).quota).toBe(USUAL / 2)
})

test('does not believe a client that asks for a cheaper tier which the provider does not confirm', async () => {
  const requested = { service_tier: 'flex' }
  expect((await charge({ requested })).quota).toBe(USUAL)
  const estimated = await charge({ requested, reported: { usage: undefined } })
  expect(estimated.receipt.provenance).toBe('estimated')
  expect(estimated.receipt.lines[0]).not.toHaveProperty('tier')
})

test('charges the region of the channel, whatever region the client names', async () => {
  const { quota, receipt } = await charge({
    requested: { inference_geo: 'nowhere' },
    setting: { region: 'us' },
  })
  expect(quota).toBe(USUAL * 1.1)
  expect(receipt.lines[0]).toMatchObject({ region: 'us' })
  expect(receipt.hold).toBeGreaterThanOrEqual(quota)
})
