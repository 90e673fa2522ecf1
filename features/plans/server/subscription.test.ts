import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { quota } from '#server/core/money.ts'
import { type BillingPeriod, endOfPeriods } from './period.ts'
import {
  advance,
  applyEvent,
  failRenewal,
  isCovering,
  isRenewalDue,
  type MoneyMove,
  type PlanTerms,
  payRenewal,
  renewalPrice,
  type Subscription,
  type SubscriptionEvent,
  startSubscription,
  type Transition,
} from './subscription.ts'
import { earnedBy, owedIn } from './term.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)
const monthly = (price: number, more: Partial<PlanTerms> = {}): PlanTerms => ({
  price: quota(price),
  period: { unit: 'month', count: 1 },
  freeDays: 0,
  graceDays: 3,
  ...more,
})

/** Follows one subscription from the outside. */
class Follower {
  readonly moves: MoneyMove[] = []
  subscription: Subscription

  constructor(terms: PlanTerms, date: string) {
    this.subscription = this.note(startSubscription(terms, dayOf(date)))
  }

  to(date: string): this {
    this.subscription = this.note(advance(this.subscription, dayOf(date)))
    return this
  }

  after(transition: Transition | undefined): this {
    if (!transition) throw new Error(`refused while ${this.subscription.state}`)
    this.subscription = this.note(transition)
    return this
  }

  does(event: SubscriptionEvent): this {
    return this.after(applyEvent(this.subscription, event))
  }

  sum(kind: MoneyMove['kind']): number {
    return this.moves.filter(move => move.kind === kind).reduce((sum, { amount }) => sum + amount, 0)
  }

  get money(): readonly number[] {
    return [this.sum('payment') - this.sum('refund'), this.sum('earning'), owedIn(this.subscription.term)]
  }

  private note({ subscription, moves }: Transition): Subscription {
    this.moves.push(...moves)
    return subscription
  }
}

describe('terms', () => {
  test('earn a price in whole units, the remainder included', () => {
    const earned = [1, 2, 3].map(counted => earnedBy({ amount: quota(100), days: 3, counted }))
    expect(earned).toEqual([33, 66, 100].map(quota))
  })

  test('are exact where the product of price and days is not', () => {
    const term = { amount: quota(999_999_999_999_999), days: 366, counted: 365 }
    expect(BigInt(earnedBy(term))).toBe((999_999_999_999_999n * 365n) / 366n)
  })
})

test('months from a 31st on end on the last of short months, and return to the 31st', () => {
  const ends = [1, 2, 3].map(periods =>
    dateOf(endOfPeriods(dayOf('2026-01-31'), { unit: 'month', count: 1 }, periods)),
  )
  expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30'])
})

describe('a subscription', () => {
  test('earns by the day and renews on the day after its period', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01')
    expect(follower.money).toEqual([3_000, 100, 2_900])
    follower.to('2026-04-30')
    expect(follower.money).toEqual([3_000, 3_000, 0])
    expect([isCovering(follower.subscription), isRenewalDue(follower.subscription)]).toEqual([true, false])
    follower.to('2026-05-01')
    expect([isCovering(follower.subscription), isRenewalDue(follower.subscription)]).toEqual([false, true])
    follower.after(payRenewal(follower.subscription))
    expect(payRenewal(follower.subscription)).toBeUndefined()
    expect(follower.sum('payment')).toBe(6_000)
  })

  test('has a trial that pays nothing, and pays after it', () => {
    const follower = new Follower(monthly(3_000, { freeDays: 7 }), '2026-04-01').to('2026-04-07')
    expect(follower.subscription.state).toBe('trial')
    expect(isCovering(follower.subscription)).toBe(true)
    follower.to('2026-04-08').after(payRenewal(follower.subscription))
    expect([follower.subscription.state, ...follower.money]).toEqual(['active', 3_000, 100, 2_900])
  })

  test('covers nothing while past due, and ends after its grace', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').to('2026-05-01')
    follower.after(failRenewal(follower.subscription))
    expect([follower.subscription.state, isCovering(follower.subscription)]).toEqual(['past_due', false])
    expect(follower.to('2026-05-04').subscription.state).toBe('past_due')
    expect(follower.to('2026-05-05').subscription.state).toBe('ended')
  })

  test('that paid late has a full period from the day of the payment', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').to('2026-05-01')
    follower.after(failRenewal(follower.subscription)).to('2026-05-03')
    follower.after(payRenewal(follower.subscription))
    expect(follower.subscription.term.days).toBe(31)
    follower.to('2026-06-02')
    expect(isCovering(follower.subscription)).toBe(true)
    expect(isRenewalDue(follower.to('2026-06-03').subscription)).toBe(true)
  })

  test('waits for its payment however long nobody asked for it', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').to('2026-09-01')
    expect([follower.subscription.state, isRenewalDue(follower.subscription)]).toEqual(['active', true])
    follower.after(failRenewal(follower.subscription)).to('2026-09-04')
    expect(follower.subscription.state).toBe('past_due')
  })

  test('keeps the days of a pause, and gives none away by pausing each evening', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').does({ kind: 'pause' }).to('2026-04-20')
    expect(follower.money).toEqual([3_000, 100, 2_900])
    follower.does({ kind: 'resume' })
    expect(follower.money).toEqual([3_000, 200, 2_800])
    follower.does({ kind: 'pause' }).does({ kind: 'resume' })
    expect(follower.money).toEqual([3_000, 200, 2_800])
    expect(isRenewalDue(follower.to('2026-05-18').subscription)).toBe(false)
    expect(isRenewalDue(follower.to('2026-05-19').subscription)).toBe(true)
  })

  test('is upgraded for the days that are left, and renews when it would have', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').to('2026-04-10')
    follower.does({ kind: 'change', terms: monthly(6_000), from: 'now' })
    expect(follower.money).toEqual([5_000, 1_000, 4_000])
    expect(isRenewalDue(follower.to('2026-05-01').subscription)).toBe(true)
    expect(renewalPrice(follower.subscription)).toBe(quota(6_000))
  })

  test('is changed over and over for no more than the last change alone', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').to('2026-04-10')
    for (const price of [6_000, 9_000, 9_000, 6_000])
      follower.does({ kind: 'change', terms: monthly(price), from: 'now' })
    expect(follower.money).toEqual([5_000, 1_000, 4_000])
    follower.to('2026-04-20').does({ kind: 'change', terms: monthly(3_000), from: 'now' })
    expect(follower.money).toEqual([4_000, 3_000, 1_000])
  })

  test('is downgraded now with a refund, or without one at its renewal', () => {
    const now = new Follower(monthly(6_000), '2026-04-01').to('2026-04-10')
    now.does({ kind: 'change', terms: monthly(3_000), from: 'now' })
    expect([now.sum('refund'), ...now.money]).toEqual([2_000, 4_000, 2_000, 2_000])
    const later = new Follower(monthly(6_000), '2026-04-01')
    later.does({ kind: 'change', terms: monthly(3_000), from: 'renewal' }).to('2026-05-01')
    later.after(payRenewal(later.subscription))
    expect([later.sum('refund'), later.sum('payment')]).toEqual([0, 9_000])
  })

  test('that is cancelled runs to the end of what was paid, and may be kept before', () => {
    const follower = new Follower(monthly(3_000), '2026-04-01').does({ kind: 'cancel' }).to('2026-04-30')
    expect(isCovering(follower.subscription)).toBe(true)
    const kept = applyEvent(follower.subscription, { kind: 'keep' })
    expect(kept?.subscription.state).toBe('active')
    expect(follower.to('2026-05-01').subscription.state).toBe('ended')
    expect(follower.money).toEqual([3_000, 3_000, 0])
  })

  test.each([
    [true, [100, 100, 0]],
    [false, [3_000, 3_000, 0]],
  ])('that its seller ends, with a refund: %p, owes nothing', (isRefunded, money) => {
    const follower = new Follower(monthly(3_000), '2026-04-01').does({ kind: 'end', isRefunded })
    expect(follower.money).toEqual(money)
    expect(applyEvent(follower.subscription, { kind: 'keep' })).toBeUndefined()
  })
})

/** What an accountant without the model would write: a price cut into days, and days that pass while it runs. */
class DayBook {
  paidIn = 0n
  earned = 0n
  days: bigint[] = []

  /** The payment buys days in place of those that are left. */
  buy(price: number, days: number, first = 0): void {
    const credit = this.owed
    this.days = Array.from({ length: days }, (_, day) => cut(price, days, day)).slice(first)
    this.paidIn += this.owed - credit
  }

  pass(): void {
    this.earned += this.days.shift() ?? 0n
  }

  end(isRefunded: boolean): void {
    if (isRefunded) this.paidIn -= this.owed
    else this.earned += this.owed
    this.days = []
  }

  get owed(): bigint {
    return this.days.reduce((sum, share) => sum + share, 0n)
  }
}

const cut = (price: number, days: number, day: number): bigint =>
  (BigInt(price) * BigInt(day + 1)) / BigInt(days) - (BigInt(price) * BigInt(day)) / BigInt(days)

const PERIODS: readonly BillingPeriod[] = [
  { unit: 'day', count: 1 },
  { unit: 'day', count: 10 },
  { unit: 'week', count: 1 },
  { unit: 'month', count: 1 },
  { unit: 'month', count: 3 },
]
const randomTerms: fc.Arbitrary<PlanTerms> = fc.record({
  price: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 10 ** 15 })).map(quota),
  period: fc.constantFrom(...PERIODS),
  freeDays: fc.constantFrom(0, 0, 1, 7),
  graceDays: fc.integer({ min: 0, max: 5 }),
})
const randomEvent: fc.Arbitrary<SubscriptionEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom('pause', 'resume', 'cancel', 'keep', 'resume', 'keep') }),
  fc.record({ kind: fc.constant('change'), terms: randomTerms, from: fc.constantFrom('now', 'renewal') }),
)
const randomDay = fc.record({
  events: fc.oneof(
    { weight: 6, arbitrary: fc.constant<SubscriptionEvent[]>([]) },
    { weight: 1, arbitrary: fc.array(randomEvent, { maxLength: 3 }) },
  ),
  canPay: fc.integer({ min: 0, max: 3 }).map(luck => luck > 0),
  isEnded: fc.integer({ min: 0, max: 60 }).map(chance => chance === 60),
  isRefunded: fc.boolean(),
})

/** A buyer who buys again whatever ended, beside the accountant. */
class Customer {
  readonly totals = { payment: 0n, refund: 0n, earning: 0n }
  readonly book = new DayBook()
  current: Subscription

  constructor(terms: PlanTerms, day: number) {
    this.current = this.buy(terms, day)
  }

  begin(terms: PlanTerms, day: number): void {
    if (this.current.state === 'ended') {
      this.current = this.buy(terms, day)
      return
    }
    if (this.current.state !== 'paused') this.book.pass()
    this.current = this.note(advance(this.current, day))
  }

  does(event: SubscriptionEvent): void {
    const before = this.current
    const transition = applyEvent(before, event)
    if (!transition) return
    this.current = this.note(transition)
    if (event.kind === 'end') this.book.end(event.isRefunded)
    const returned = before.state === 'paused' && this.current.state !== 'paused'
    if (returned && event.kind !== 'end' && before.since < before.day) this.book.pass()
    const { amount, days, counted } = this.current.term
    if (event.kind === 'change' && before.term !== this.current.term)
      this.book.buy(Number(amount), days, counted)
  }

  pay(canPay: boolean): void {
    const transition = canPay ? payRenewal(this.current) : failRenewal(this.current)
    if (!transition) return
    this.current = this.note(transition)
    if (!canPay) return
    this.book.buy(Number(this.current.term.amount), this.current.term.days)
    this.book.pass()
  }

  get money(): readonly bigint[] {
    const { payment, refund, earning } = this.totals
    return [payment - refund, earning, BigInt(owedIn(this.current.term))]
  }

  private buy(terms: PlanTerms, day: number): Subscription {
    const bought = this.note(startSubscription(terms, day))
    this.book.buy(terms.freeDays > 0 ? 0 : terms.price, bought.term.days)
    this.book.pass()
    return bought
  }

  private note({ subscription, moves }: Transition): Subscription {
    for (const { kind, amount } of moves) this.totals[kind] += BigInt(amount)
    return subscription
  }
}

test('in a year of random purchases, changes, pauses and failures, money in = earned + owed on every day', () => {
  const YEAR = 366
  const reached = new Set<string>()
  const randomYear = fc.array(randomDay, { minLength: YEAR, maxLength: YEAR })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000 }), randomTerms, randomYear, (firstDay, terms, year) => {
      const customer = new Customer(terms, firstDay)
      let day = firstDay
      for (const { events, canPay, isEnded, isRefunded } of year) {
        day += 1
        customer.begin(terms, day)
        for (const event of events) customer.does(event)
        if (isEnded) customer.does({ kind: 'end', isRefunded })
        customer.pay(canPay)
        const { current, book, money } = customer
        reached.add(current.state)
        expect(money).toEqual([book.paidIn, book.earned, book.owed])
        expect(book.paidIn).toBe(book.earned + book.owed)
        expect(advance(current, day)).toEqual({ subscription: current, moves: [] })
      }
    }),
    { numRuns: 100 },
  )
  expect([...reached].sort()).toEqual(['active', 'cancelled', 'ended', 'past_due', 'paused', 'trial'])
})
