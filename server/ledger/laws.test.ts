import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sameInBoth } from '../core/language.ts'
import { quota } from '../core/money.ts'
import { inTransaction } from '../db/engine/database.ts'
import { adjustWallet, setTokenLimit } from './adjust.ts'
import { auditLedger } from './audit.ts'
import type { Hold } from './ledger-command.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

type Step =
  | { kind: 'reserve'; who: number; amount: number; isLimited: boolean; isPaidByPlan: boolean }
  | { kind: 'extend'; which: number; amount: number }
  | { kind: 'settle'; which: number; amount: number }
  | { kind: 'release'; which: number }
  | { kind: 'adjust'; who: number; amount: number }
  | { kind: 'limit'; who: number; amount: number }

interface Account {
  readonly userId: number
  readonly tokenId: number
}

const PEOPLE = 3
const amount = fc.nat(400)
const who = fc.nat(PEOPLE - 1)
const which = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reserve'),
      who,
      amount,
      isLimited: fc.boolean(),
      isPaidByPlan: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('extend', 'settle'), which, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('adjust'), who, amount: fc.integer({ min: -500, max: 500 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit'), who, amount }) },
)
/** The steps of an inner list run concurrently. */
const waves = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { maxLength: 8 })

let fixture: TestLedger
let channelId = 0

beforeAll(async () => {
  fixture = await openTestLedger()
  channelId = await createChannel(fixture.db)
})

afterAll(() => fixture.close())

async function play(people: readonly Account[], waves: readonly (readonly Step[])[]): Promise<void> {
  const holds: Hold[] = []
  for (const wave of waves) {
    const openHolds = [...holds]
    const results = await Promise.allSettled(wave.map(one => runStep(one, people, openHolds)))
    for (const result of results) if (result.status === 'fulfilled' && result.value) holds.push(result.value)
  }
}

async function runStep(
  step: Step,
  people: readonly Account[],
  holds: readonly Hold[],
): Promise<Hold | undefined> {
  if (step.kind === 'reserve') {
    const { userId, tokenId } = accountOf(people, step.who)
    return await fixture.ledger.reserve({
      ...buildHoldRequest(userId, step.amount, tokenId),
      isTokenLimited: step.isLimited,
      ...(step.isPaidByPlan && { paidBy: { subscriptionId: 1, plan: 'Pro' } }),
    })
  }
  if (step.kind === 'adjust' || step.kind === 'limit') {
    await adjust(accountOf(people, step.who), step)
    return undefined
  }
  const hold = holds[step.which % Math.max(holds.length, 1)]
  if (!hold) return undefined
  if (step.kind === 'extend') await fixture.ledger.extend(hold, quota(step.amount))
  if (step.kind === 'settle') await fixture.ledger.settle(hold, buildBill(step.amount, channelId))
  if (step.kind === 'release') await fixture.ledger.release(hold)
  return undefined
}

const cause = { actorId: 1, reason: sameInBoth('law'), requestId: '' }

const adjust = (account: Account, step: { kind: 'adjust' | 'limit'; amount: number }) =>
  inTransaction(fixture.db, tx =>
    step.kind === 'adjust'
      ? adjustWallet(tx, { ...cause, userId: account.userId, kind: 'adjustment', amount: step.amount })
      : setTokenLimit(tx, { ...cause, ...account, remain: quota(step.amount) }),
  )

function accountOf(people: readonly Account[], index: number): Account {
  const account = people[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}

test('never creates or loses money and never overdraws a wallet, in any order of the steps', async () => {
  await fc.assert(
    fc.asyncProperty(waves, async steps => {
      const people: Account[] = []
      for (let person = 0; person < PEOPLE; person += 1) {
        const userId = await createUser(fixture.db, 1000)
        people.push({ userId, tokenId: await createToken(fixture.db, userId, 600) })
      }
      await play(people, steps)
      for (const { userId, tokenId } of people) await expectLaws(userId, tokenId)
    }),
    { numRuns: 40 },
  )
  const report = await auditLedger(fixture.db)
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
  expect(report.drift).toBe(0)
})

const reservation = fc.record({
  amount: fc.integer({ min: 1, max: 400 }),
  least: fc.nat(400),
  isLimited: fc.boolean(),
})

test('takes wallet and token below zero by at most one hold, for any number of concurrent reserves', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(reservation, { maxLength: 30 }), { maxLength: 5 }), async rounds => {
      const userId = await createUser(fixture.db, 1000)
      const tokenId = await createToken(fixture.db, userId, 600)
      const open: Hold[] = []
      for (const round of rounds) {
        const requests = round.map(({ amount, least, isLimited }) => ({
          ...buildHoldRequest(userId, amount, tokenId),
          isTokenLimited: isLimited,
          minimum: quota(Math.max(1, Math.min(least, amount))),
        }))
        const results = await Promise.allSettled(requests.map(request => fixture.ledger.reserve(request)))
        open.push(...results.filter(result => result.status === 'fulfilled').map(({ value }) => value))
        const settled = open.splice(0, open.length / 2)
        await Promise.all(settled.map(hold => fixture.ledger.settle(hold, buildBill(hold.amount, channelId))))
      }
      await Promise.all(open.map(hold => fixture.ledger.settle(hold, buildBill(hold.amount, channelId))))
      const largest = Math.max(0, ...rounds.flat().map(({ amount }) => amount))
      expect((await readWallet(fixture.db, userId)).quota).toBeGreaterThan(-largest - 1)
      expect((await readToken(fixture.db, tokenId)).remain_quota).toBeGreaterThan(-largest - 1)
    }),
    { numRuns: 40 },
  )
  expect((await auditLedger(fixture.db)).drift).toBe(0)
})

async function expectLaws(userId: number, tokenId: number): Promise<void> {
  const user = await fixture.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const token = await fixture.db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow()
  const postings = await fixture.db.selectFrom('postings').selectAll().where('user_id', '=', userId).execute()
  const total = (matches: (posting: (typeof postings)[number]) => boolean) =>
    postings.filter(matches).reduce((sum, posting) => sum + posting.amount, 0)
  const isOverrun = (posting: (typeof postings)[number]) => posting.kind === 'overrun'
  const issued = total(row => row.from_account === 'issued') - total(row => row.to_account === 'issued')
  const paidByPlans = total(row => row.from_account === 'allowance')
  expect(user.quota + user.held_quota + user.used_quota).toBe(issued + paidByPlans)
  expect(total(row => row.kind === 'charge')).toBe(user.used_quota)
  expect(user.quota).toBeGreaterThanOrEqual(-total(isOverrun))
  expect(user.held_quota).toBeGreaterThanOrEqual(0)
  expect(token.remain_quota).toBeGreaterThanOrEqual(
    -total(row => isOverrun(row) && row.is_token_limited === 1),
  )
}
