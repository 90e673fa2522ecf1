import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
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
  type TestLedger,
} from './testing.ts'

type Step =
  | { kind: 'reserve'; who: number; amount: number; isLimited: boolean }
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
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve'), who, amount, isLimited: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('extend', 'settle'), which, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('adjust'), who, amount: fc.integer({ min: -500, max: 500 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit'), who, amount }) },
)
/** What stands in one inner list happens at once. */
const story = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { maxLength: 8 })

let books: TestLedger
let channelId = 0

beforeAll(async () => {
  books = await openTestLedger()
  channelId = await createChannel(books.db)
})

afterAll(() => books.close())

async function play(people: readonly Account[], waves: readonly (readonly Step[])[]): Promise<void> {
  const holds: Hold[] = []
  for (const wave of waves) {
    const known = [...holds]
    const answers = await Promise.allSettled(wave.map(one => take(one, people, known)))
    for (const answer of answers) if (answer.status === 'fulfilled' && answer.value) holds.push(answer.value)
  }
}

async function take(
  step: Step,
  people: readonly Account[],
  holds: readonly Hold[],
): Promise<Hold | undefined> {
  if (step.kind === 'reserve') {
    const { userId, tokenId } = accountOf(people, step.who)
    return await books.ledger.reserve({
      ...buildHoldRequest(userId, step.amount, tokenId),
      isTokenLimited: step.isLimited,
    })
  }
  if (step.kind === 'adjust' || step.kind === 'limit') {
    await change(accountOf(people, step.who), step)
    return undefined
  }
  const hold = holds[step.which % Math.max(holds.length, 1)]
  if (!hold) return undefined
  if (step.kind === 'extend') await books.ledger.extend(hold, quota(step.amount))
  if (step.kind === 'settle') await books.ledger.settle(hold, buildBill(step.amount, channelId))
  if (step.kind === 'release') await books.ledger.release(hold)
  return undefined
}

const cause = { actorId: 1, reason: 'law', requestId: '' }

const change = (account: Account, step: { kind: 'adjust' | 'limit'; amount: number }) =>
  inTransaction(books.db, tx =>
    step.kind === 'adjust'
      ? adjustWallet(tx, { ...cause, userId: account.userId, kind: 'adjustment', amount: step.amount })
      : setTokenLimit(tx, { ...cause, ...account, remain: quota(step.amount) }),
  )

function accountOf(people: readonly Account[], index: number): Account {
  const account = people[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}

test('whatever happens in whatever order, nothing is created or lost and nobody overdraws', async () => {
  await fc.assert(
    fc.asyncProperty(story, async waves => {
      const people: Account[] = []
      for (let person = 0; person < PEOPLE; person += 1) {
        const userId = await createUser(books.db, 1000)
        people.push({ userId, tokenId: await createToken(books.db, userId, 600) })
      }
      await play(people, waves)
      for (const { userId, tokenId } of people) await expectLaws(userId, tokenId)
    }),
    { numRuns: 40 },
  )
  const report = await auditLedger(books.db)
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
  expect(report.drift).toBe(0)
})

async function expectLaws(userId: number, tokenId: number): Promise<void> {
  const user = await books.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const token = await books.db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow()
  const postings = await books.db.selectFrom('postings').selectAll().where('user_id', '=', userId).execute()
  const total = (isWanted: (posting: (typeof postings)[number]) => boolean) =>
    postings.filter(isWanted).reduce((sum, posting) => sum + posting.amount, 0)
  const isOverrun = (posting: (typeof postings)[number]) => posting.kind === 'overrun'
  const cameIn = total(row => row.from_account === 'issued') - total(row => row.to_account === 'issued')
  expect(user.quota + user.held_quota + user.used_quota).toBe(cameIn)
  expect(total(row => row.kind === 'charge')).toBe(user.used_quota)
  expect(user.quota).toBeGreaterThanOrEqual(-total(isOverrun))
  expect(user.held_quota).toBeGreaterThanOrEqual(0)
  expect(token.remain_quota).toBeGreaterThanOrEqual(
    -total(row => isOverrun(row) && row.is_token_limited === 1),
  )
}
