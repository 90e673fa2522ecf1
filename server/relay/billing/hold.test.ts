import { afterEach, beforeEach, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { buildHoldRequest, createUser, openTestLedger, type TestLedger } from '../../ledger/testing.ts'
import { holdAmount } from '../../pricing/charge.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { createHoldExtender } from './hold.ts'

const HELD_TOKENS = 100
const price = testPrices({ ModelRatio: { lab: 1 }, CompletionRatio: { lab: 1 } }).get({
  model: 'lab',
  group: 'default',
})
const amountOf = (outputTokens: number): number => holdAmount(price, { inputTokens: 0, outputTokens })

let opened: TestLedger
beforeEach(async () => {
  opened = await openTestLedger()
})
afterEach(() => opened.close())

/** The hold of a stream of 100 tokens of a user who can pay this many. */
async function openHold(tokensInWallet: number) {
  const { db, ledger } = opened
  const userId = await createUser(db, amountOf(tokensInWallet))
  const hold = await ledger.reserve(buildHoldRequest(userId, amountOf(HELD_TOKENS)))
  const reservation = { hold, price, heldPrice: price, extras: undefined, outputTokens: HELD_TOKENS }
  return createHoldExtender(reservation, 0, ledger)
}

test.each([
  ['a little more', 101, 200],
  ['less than double', 150, 200],
  ['double', 200, 200],
  ['more than double', 450, 450],
])('holds all that it promises: %s', async (_, tokens, held) => {
  const extender = await openHold(10_000)
  expect(extender.isWithinHold(tokens)).toBe(false)
  expect(await extender.extendTo(tokens)).toBe(true)
  expect(extender.isWithinHold(held)).toBe(true)
  expect(Number(extender.hold().amount)).toBe(amountOf(held))
})

test('takes what is left where the wallet cannot pay double, and no more than that', async () => {
  const extender = await openHold(160)
  expect(await extender.extendTo(150)).toBe(true)
  expect(Number(extender.hold().amount)).toBeGreaterThanOrEqual(amountOf(150))
  expect(await extender.extendTo(161)).toBe(false)
  expect(Number(extender.hold().amount)).toBeLessThanOrEqual(amountOf(160))
})

test.each([120, 199, 300])(
  'holds what a conversation used, and its next response: %d tokens',
  async tokens => {
    const extender = await openHold(10_000)
    expect(await extender.extendToUsage({ ...NO_USAGE, output: tokens })).toBe(true)
    expect(Number(extender.hold().amount)).toBeGreaterThanOrEqual(amountOf(tokens) + amountOf(HELD_TOKENS))
  },
)
