import { NO_QUOTA, type Quota, quota, subtractQuota } from '#server/core/money.ts'
import { type BillingPeriod, type Day, endOfPeriods } from './period.ts'
import { earnedBy, owedIn, type Term } from './term.ts'

/**
 * - `trial`, `active`: covers requests, and a payment follows.
 * - `cancelled`: covers requests to the end of what was paid.
 * - `past_due`: covers nothing until a payment succeeds.
 * - `paused`: covers nothing, and its days wait.
 * - `ended`: for ever.
 */
export type SubscriptionState = 'trial' | 'active' | 'past_due' | 'paused' | 'cancelled' | 'ended'

/** What a plan said when it was bought: a later change of the plan changes no running subscription. */
export interface PlanTerms {
  /** For one period. */
  readonly price: Quota
  readonly period: BillingPeriod
  /** Days of a trial, before the first payment; 0 for none. */
  readonly freeDays: number
  /** Days on which a failed renewal is tried again before the subscription ends. */
  readonly graceDays: number
}

export interface Subscription {
  readonly state: SubscriptionState
  /** The state to which a paused or cancelled one returns. */
  readonly returnsTo: 'trial' | 'active'
  readonly terms: PlanTerms
  /** Replaces `terms` with the next payment. */
  readonly nextTerms: PlanTerms | undefined
  /** Without days once it is over. */
  readonly term: Term
  /** The last day that has begun. */
  readonly day: Day
  /** Where periods are counted from: months from a 31st on return to the 31st. */
  readonly anchor: { readonly day: Day; readonly periods: number }
  /** The day of the pause, or of the first payment that failed. */
  readonly since: Day
}

/** What moves: from the wallet, back to it, or from what is owed to what is earned. */
export interface MoneyMove {
  readonly kind: 'payment' | 'refund' | 'earning'
  readonly day: Day
  /** Never 0. */
  readonly amount: Quota
}

export interface Transition {
  readonly subscription: Subscription
  readonly moves: readonly MoneyMove[]
}

/** Whether its windows bound requests, and the wallet does not pay for them. */
export const isCovering = ({ state, term }: Subscription): boolean =>
  (state === 'trial' || state === 'active' || state === 'cancelled') && term.days > 0

/** Whether the term is over and the wallet should pay for the next one. */
export const isRenewalDue = ({ state, term }: Subscription): boolean =>
  (state === 'trial' || state === 'active' || state === 'past_due') && term.days === 0

/** What the next payment takes. */
export const renewalPrice = ({ terms, nextTerms }: Subscription): Quota => (nextTerms ?? terms).price

/** Begins a subscription: with the trial, or with the payment for the first period. */
export function startSubscription(terms: PlanTerms, day: Day): Transition {
  const state = terms.freeDays > 0 ? 'trial' : 'active'
  const started: Subscription = {
    state,
    returnsTo: state,
    terms,
    nextTerms: undefined,
    term: { amount: NO_QUOTA, days: terms.freeDays, counted: 0 },
    day,
    anchor: { day: day + terms.freeDays, periods: 0 },
    since: day,
  }
  return state === 'trial' ? countDay(started, day) : beginPeriod(started)
}

/**
 * Begins all days up to `day`, in which terms end and grace runs out. Days that had begun before change nothing. A term that is
 * over waits for its payment, however late somebody asks for it: grace begins with a payment that failed.
 */
export function advance(subscription: Subscription, day: Day): Transition {
  let current = subscription
  const moves: MoneyMove[] = []
  while (current.day < day && current.state !== 'ended') {
    const next = beginDay(current, current.day + 1)
    current = next.subscription
    moves.push(...next.moves)
  }
  return { subscription: current, moves }
}

function beginDay(subscription: Subscription, day: Day): Transition {
  const { state, term, terms, since } = subscription
  if (state === 'paused') return unpaid({ ...subscription, day })
  if (term.counted < term.days) return countDay(subscription, day)
  const isOver = state === 'cancelled' || (state === 'past_due' && day - since > terms.graceDays)
  return unpaid({ ...subscription, state: isOver ? 'ended' : state, term: NO_TERM, day })
}

const NO_TERM: Term = { amount: NO_QUOTA, days: 0, counted: 0 }

const unpaid = (subscription: Subscription): Transition => ({ subscription, moves: [] })

/** Begins the next day of the term, which earns its share. */
function countDay(subscription: Subscription, day: Day): Transition {
  const { term } = subscription
  const counted = { ...term, counted: term.counted + 1 }
  const amount = subtractQuota(earnedBy(counted), earnedBy(term))
  return { subscription: { ...subscription, term: counted, day }, moves: toMoves('earning', day, amount) }
}

const toMoves = (kind: MoneyMove['kind'], day: Day, amount: Quota): MoneyMove[] =>
  amount === 0 ? [] : [{ kind, day, amount }]

/** The payment of a term that is due; undefined when none is. A late one begins its period on the day of the payment. */
export function payRenewal(subscription: Subscription): Transition | undefined {
  return isRenewalDue(subscription) ? beginPeriod(subscription) : undefined
}

/** The wallet could not pay. Undefined when it did not have to. */
export function failRenewal(subscription: Subscription): Transition | undefined {
  if (!isRenewalDue(subscription)) return
  const { state, since, day } = subscription
  return unpaid({ ...subscription, state: 'past_due', since: state === 'past_due' ? since : day })
}

function beginPeriod(subscription: Subscription): Transition {
  const { day, anchor } = subscription
  const terms = subscription.nextTerms ?? subscription.terms
  const isOnTime = endOfPeriods(anchor.day, terms.period, anchor.periods) === day
  const counted = isOnTime ? { ...anchor, periods: anchor.periods + 1 } : { day, periods: 1 }
  const days = endOfPeriods(counted.day, terms.period, counted.periods) - day
  const started: Subscription = {
    ...subscription,
    state: 'active',
    returnsTo: 'active',
    terms,
    nextTerms: undefined,
    term: { amount: terms.price, days, counted: 0 },
    anchor: counted,
  }
  const first = countDay(started, day)
  return { ...first, moves: [...toMoves('payment', day, terms.price), ...first.moves] }
}

/** What a buyer or a seller does. */
export type SubscriptionEvent =
  | { readonly kind: 'pause' | 'resume' | 'cancel' | 'keep' }
  /** `now` takes or refunds the difference for the days that are left, where a period runs that was paid for. */
  | { readonly kind: 'change'; readonly terms: PlanTerms; readonly from: 'now' | 'renewal' }
  /** By the seller, at once. Without a refund, what is owed is earned. */
  | { readonly kind: 'end'; readonly isRefunded: boolean }

/** Undefined when the state does not allow the event. The subscription must have been advanced to the day of the event. */
export function applyEvent(subscription: Subscription, event: SubscriptionEvent): Transition | undefined {
  if (subscription.state === 'ended') return
  if (event.kind === 'end') return end(subscription, event.isRefunded)
  if (event.kind === 'change') return changeTerms(subscription, event.terms, event.from)
  return STEPS[event.kind](subscription)
}

const STEPS = { pause, resume, cancel, keep }

function end(subscription: Subscription, isRefunded: boolean): Transition {
  const { day, term } = subscription
  return {
    subscription: { ...subscription, state: 'ended', term: NO_TERM },
    moves: toMoves(isRefunded ? 'refund' : 'earning', day, owedIn(term)),
  }
}

function pause(subscription: Subscription): Transition | undefined {
  const { state, term, day } = subscription
  if ((state !== 'trial' && state !== 'active') || term.days === 0) return
  return unpaid({ ...subscription, state: 'paused', returnsTo: state, since: day })
}

/** Both the day of the pause and that of the return count, but the same day only once: a pause gives no day away. */
function resume(subscription: Subscription): Transition | undefined {
  const { state, returnsTo, term, day, since } = subscription
  if (state !== 'paused') return
  const resumed = { ...subscription, state: returnsTo }
  if (day === since) return unpaid(resumed)
  return beginDay({ ...resumed, anchor: { day: day + term.days - term.counted, periods: 0 } }, day)
}

/** Runs to the end of its term, from a pause too; what waits for a payment ends at once. */
function cancel(subscription: Subscription): Transition | undefined {
  const { state, term } = subscription
  if (state === 'cancelled') return
  if (state === 'paused') return cancelPaused(subscription)
  if (state !== 'trial' && state !== 'active') return end(subscription, true)
  if (term.days === 0) return end(subscription, true)
  return unpaid({ ...subscription, state: 'cancelled', returnsTo: state })
}

function cancelPaused(subscription: Subscription): Transition | undefined {
  const resumed = resume(subscription)
  const cancelled = resumed && cancel(resumed.subscription)
  return cancelled && { ...cancelled, moves: [...resumed.moves, ...cancelled.moves] }
}

/** Takes a cancellation back. */
function keep(subscription: Subscription): Transition | undefined {
  const { state, returnsTo } = subscription
  return state === 'cancelled' ? unpaid({ ...subscription, state: returnsTo }) : undefined
}

function changeTerms(
  subscription: Subscription,
  terms: PlanTerms,
  from: 'now' | 'renewal',
): Transition | undefined {
  const { state, term, day } = subscription
  if (state === 'cancelled' || state === 'paused') return
  // On the last day nothing is left to divide.
  if (from === 'renewal' || state !== 'active' || term.counted === term.days)
    return unpaid({ ...subscription, nextTerms: terms })
  const changed = toChangedTerm(subscription, terms)
  const difference = subtractQuota(owedIn(changed.term), owedIn(term))
  return {
    subscription: { ...subscription, terms, nextTerms: undefined, ...changed },
    moves: toMoves(difference > 0 ? 'payment' : 'refund', day, quota(Math.abs(difference))),
  }
}

/**
 * The rest of a period costs the same part of the new price, and the days that have begun stay in the term: a further change would
 * take what is left for a whole period. A period of another length begins tomorrow.
 */
function toChangedTerm(
  { term, terms: { period }, anchor, day }: Subscription,
  terms: PlanTerms,
): Pick<Subscription, 'term' | 'anchor'> {
  if (terms.period.unit === period.unit && terms.period.count === period.count)
    return { term: { ...term, amount: terms.price }, anchor }
  const tomorrow = day + 1
  const days = endOfPeriods(tomorrow, terms.period, 1) - tomorrow
  return { term: { amount: terms.price, days, counted: 0 }, anchor: { day: tomorrow, periods: 1 } }
}
