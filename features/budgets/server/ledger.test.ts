import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import type { Database } from '#server/db/engine/database.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type Hold, type HoldRequest, type Ledger, openLedger } from '#server/ledger/ledger.ts'
import { createHoldRecovery, releaseAllAbandonedHolds } from '#server/ledger/recovery.ts'
import {
  buildBill,
  buildHoldRequest,
  createUser,
  LEDGER_OPTIONS,
  loseHold as loseHoldOfWallet,
  openTestLedger,
  readWallet,
  type TestLedger,
} from '#server/ledger/testing.ts'
import { COUNTS } from './find-budgets.ts'
import { maintainBudgets } from './maintenance.ts'
import { deleteBudgets } from './queries/budgets.ts'
import { addToBudgetWindows } from './queries/counts.ts'
import { createBudget, NO_RULES, readBudget, sharesOf } from './testing/budgets.ts'
import { auditBudgets } from './verify.ts'

let fixture: TestLedger
let second: Ledger
let userId = 0

beforeEach(async () => {
  fixture = await openTestLedger()
  const { db, engine } = fixture.opened
  second = openLedger({
    db,
    engine,
    log: noopLogger,
    processId: 'second',
    options: () => LEDGER_OPTIONS,
  })
  for (const ledger of [fixture.ledger, second]) ledger.boundBy({ ...COUNTS, ...NO_RULES })
  userId = await createUser(db, 1_000_000)
})

afterEach(async () => {
  await second.close()
  const report = await auditLedger(fixture.db)
  const differences = await auditBudgets(fixture.db)
  await fixture.close()
  expect(differences).toEqual([])
  expect(report.drift).toBe(0)
})

/** As if the hold had never been written, with its shares. */
async function loseHold(db: Database, hold: Hold): Promise<void> {
  await loseHoldOfWallet(db, hold)
  const shares = hold.budgets ?? []
  await addToBudgetWindows(
    db,
    shares.map(({ budgetId, window, amount }) => ({ budgetId, window, used: 0, held: -amount })),
  )
}

const ledgerOf = (index: number): Ledger => (index % 2 === 0 ? fixture.ledger : second)

const requestOn = (ids: readonly number[], amount: number): HoldRequest => ({
  ...buildHoldRequest(userId, amount),
  budgets: sharesOf(ids, { amount }),
})

async function reserveAll(requests: readonly HoldRequest[]) {
  const results = await Promise.allSettled(requests.map((request, index) => ledgerOf(index).reserve(request)))
  return {
    holds: results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])),
    errors: results.flatMap(result => (result.status === 'rejected' ? [String(result.reason.message)] : [])),
  }
}

test('1,000 callers over two processes use exactly what the budget has', async () => {
  const budget = await createBudget(fixture.db, 1005)
  const { holds, errors } = await reserveAll(Array.from({ length: 1000 }, () => requestOn([budget], 10)))
  expect(holds).toHaveLength(100)
  expect(errors).toHaveLength(900)
  expect(errors.at(-1)).toBe(`${budget}: 1000 of 1005, 10 more`)
  expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 1000 })
  await Promise.all(holds.map((hold, index) => ledgerOf(index + 1).settle(hold, buildBill(4))))
  expect(await readBudget(fixture.db, budget)).toEqual({ used: 400, held: 0 })
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 999_600, held_quota: 0 })
})

test('takes all budgets of a hold or none, and the wallet with them', async () => {
  const [wide, narrow] = [await createBudget(fixture.db, 1000), await createBudget(fixture.db, 100)]
  const { holds, errors } = await reserveAll(Array.from({ length: 4 }, () => requestOn([wide, narrow], 60)))
  expect([holds.length, errors.length]).toEqual([1, 3])
  expect(await readBudget(fixture.db, wide)).toEqual({ used: 0, held: 60 })
  const dear = { ...requestOn([wide], 900), userId: await createUser(fixture.db, 10) }
  await expect(fixture.ledger.reserve(dear)).rejects.toMatchObject({ code: 'insufficient_user_quota' })
  expect(await readBudget(fixture.db, wide)).toEqual({ used: 0, held: 60 })
})

test('a request that its wallet cannot pay keeps no other one out of a budget', async () => {
  const budget = await createBudget(fixture.db, 100)
  const poor = await createUser(fixture.db, 10)
  const { holds } = await reserveAll([
    { ...requestOn([budget], 80), userId: poor },
    requestOn([budget], 90),
    { ...requestOn([budget], 80), userId: poor },
    requestOn([budget], 10),
  ])
  expect(holds.map(({ amount }): number => amount)).toEqual([90, 10])
})

test('an extension takes more of the budget, and ends where that does', async () => {
  const budget = await createBudget(fixture.db, 100)
  const hold = await fixture.ledger.reserve(requestOn([budget], 40))
  const extended = await fixture.ledger.extend(hold, quota(60))
  expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 100 })
  expect(await fixture.ledger.extend(extended ?? hold, quota(1))).toBeUndefined()
  expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 100 })
  await fixture.ledger.settle(extended ?? hold, buildBill(70))
  expect(await readBudget(fixture.db, budget)).toEqual({ used: 70, held: 0 })
})

describe('units', () => {
  test('tokens are those of the bill, and requests are answered ones', async () => {
    const tokens = await createBudget(fixture.db, 1000, 'tokens')
    const requests = await createBudget(fixture.db, 2, 'requests')
    const request = () => ({
      ...buildHoldRequest(userId, 10),
      budgets: [
        ...sharesOf([tokens], { unit: 'tokens', amount: 300 }),
        ...sharesOf([requests], { unit: 'requests', amount: 1 }),
      ],
    })
    const { holds, errors } = await reserveAll([request(), request(), request()])
    expect(errors).toEqual([`${requests}: 2 of 2, 1 more`])
    expect(await readBudget(fixture.db, tokens)).toEqual({ used: 0, held: 600 })
    const [first, other] = holds
    if (!first || !other) throw new Error('two were to be granted')
    const extended = await fixture.ledger.extend(first, quota(5))
    expect(await readBudget(fixture.db, tokens)).toEqual({ used: 0, held: 750 })
    await fixture.ledger.settle(extended ?? first, buildBill(3))
    await fixture.ledger.release(other)
    expect(await readBudget(fixture.db, tokens)).toEqual({ used: 15, held: 0 })
    expect(await readBudget(fixture.db, requests)).toEqual({ used: 1, held: 0 })
  })

  test('a free request uses tokens too', async () => {
    const tokens = await createBudget(fixture.db, 20, 'tokens')
    const free = {
      ...buildHoldRequest(userId, 0),
      budgets: sharesOf([tokens], { unit: 'tokens', amount: 20 }),
    }
    const hold = await fixture.ledger.reserve(free)
    await fixture.ledger.settle(hold, buildBill(0))
    expect(await readBudget(fixture.db, tokens)).toEqual({ used: 15, held: 0 })
  })
})

test('a budget that only counts rejects nobody, and windows before the bound do not count', async () => {
  const budget = await createBudget(fixture.db, 10)
  const counted = () => ({
    ...buildHoldRequest(userId, 30),
    budgets: sharesOf([budget], { amount: 30, bound: undefined }),
  })
  const { holds } = await reserveAll([counted(), counted()])
  expect(holds).toHaveLength(2)
  const later = (window: number) =>
    sharesOf([budget], { window, amount: 10 }).map(share => ({
      ...share,
      bound: share.bound && { ...share.bound, since: window },
    }))
  const next = await fixture.ledger.reserve({ ...buildHoldRequest(userId, 10), budgets: later(60) })
  await Promise.all([...holds, next].map(hold => fixture.ledger.release(hold)))
})

describe('a hold that its process does not close', () => {
  test('is returned to its budgets by another process', async () => {
    const budget = await createBudget(fixture.db, 100)
    await second.reserve(requestOn([budget], 100))
    const recovery = { db: fixture.db, ledger: fixture.ledger, processId: 'first' }
    expect(await createHoldRecovery(recovery)()).toBe(0)
    expect(await releaseAllAbandonedHolds(recovery)).toBe(1)
    expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 0 })
  })

  test('counts in its budgets when its row was lost and it is settled all the same', async () => {
    const budget = await createBudget(fixture.db, 100)
    const hold = await fixture.ledger.reserve(requestOn([budget], 100))
    await loseHold(fixture.db, hold)
    await fixture.ledger.settle(hold, buildBill(30))
    await fixture.ledger.settle(hold, buildBill(30))
    expect(await readBudget(fixture.db, budget)).toEqual({ used: 30, held: 0 })
  })

  test('takes its budgets anew when an extension finds its row lost', async () => {
    const budget = await createBudget(fixture.db, 100)
    const hold = await fixture.ledger.reserve(requestOn([budget], 60))
    await loseHold(fixture.db, hold)
    expect(await fixture.ledger.extend(hold, quota(41))).toBeUndefined()
    const extended = await fixture.ledger.extend(hold, quota(40))
    expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 100 })
    await fixture.ledger.settle(extended ?? hold, buildBill(100))
    expect(await readBudget(fixture.db, budget)).toEqual({ used: 100, held: 0 })
  })

  test('takes nothing of a budget that was deleted meanwhile', async () => {
    const budget = await createBudget(fixture.db, 100)
    const hold = await fixture.ledger.reserve(requestOn([budget], 60))
    await deleteBudgets(fixture.db, [budget])
    await fixture.ledger.settle(hold, buildBill(50))
    expect(await auditBudgets(fixture.db)).toEqual([])
    await maintainBudgets(fixture.db)
    expect(await readBudget(fixture.db, budget)).toEqual({ used: 0, held: 0 })
  })
})

interface BudgetStep {
  readonly kind: string
  readonly amount: number
  readonly which: number
  readonly window: number
  readonly chosen: readonly number[]
}

const step: fc.Arbitrary<BudgetStep> = fc.record({
  kind: fc.constantFrom('reserve', 'reserve', 'extend', 'settle', 'release'),
  amount: fc.nat(60),
  which: fc.nat(40),
  window: fc.nat(2),
  chosen: fc.subarray([0, 1, 2], { minLength: 1 }),
})

const reservationOf = ({ amount, window, chosen }: BudgetStep, ids: readonly number[]): HoldRequest => ({
  ...buildHoldRequest(userId, amount),
  budgets: sharesOf(
    chosen.map(index => ids[index] ?? 0),
    { window, amount },
  ),
})

async function changeHold(ledger: Ledger, hold: Hold, { kind, amount }: BudgetStep): Promise<undefined> {
  if (kind === 'extend') await ledger.extend(hold, quota(amount))
  else if (kind === 'release') await ledger.release(hold)
  else await ledger.settle(hold, buildBill(Math.min(amount, hold.amount)))
}

/** A hold that was released is not settled any more: only one that a failover lost is charged beyond its budgets. */
class Closings {
  private readonly kinds = new Map<string, string>()

  kindFor({ requestId }: Hold, { kind }: BudgetStep): string {
    const known = this.kinds.get(requestId)
    if (known === undefined && kind !== 'extend') this.kinds.set(requestId, kind)
    return known ?? kind
  }
}

interface PlayedHolds {
  readonly open: readonly Hold[]
  readonly closings: Closings
}

async function playWave(
  wave: readonly BudgetStep[],
  { open, closings }: PlayedHolds,
  ids: readonly number[],
) {
  const results = await Promise.allSettled(
    wave.map((one, index) => {
      const ledger = ledgerOf(index)
      if (one.kind === 'reserve') return ledger.reserve(reservationOf(one, ids))
      const hold = open[one.which % Math.max(open.length, 1)]
      return hold ? changeHold(ledger, hold, { ...one, kind: closings.kindFor(hold, one) }) : undefined
    }),
  )
  return results.flatMap(result => (result.status === 'fulfilled' && result.value ? [result.value] : []))
}

async function expectWithin(budget: number, limit: number): Promise<void> {
  const { used, held } = await readBudget(fixture.db, budget)
  expect(used + held).toBeLessThanOrEqual(limit)
  expect(held).toBeGreaterThanOrEqual(0)
}

test('never uses more than a budget has and never drifts, in any order of the steps of two processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 10 }), { maxLength: 6 }), async waves => {
      const limits = [100, 150, 400]
      const ids = await Promise.all(limits.map(limit => createBudget(fixture.db, limit)))
      const open: Hold[] = []
      const closings = new Closings()
      for (const wave of waves) {
        open.push(...(await playWave(wave, { open, closings }, ids)))
        for (const [index, limit] of limits.entries()) await expectWithin(ids[index] ?? 0, limit)
      }
      expect((await auditLedger(fixture.db)).findings).toEqual([])
      expect(await auditBudgets(fixture.db)).toEqual([])
      await Promise.all(open.map(hold => fixture.ledger.release(hold)))
    }),
    { numRuns: 30 },
  )
})
