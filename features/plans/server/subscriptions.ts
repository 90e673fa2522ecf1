import { nowSeconds } from '#server/core/clock.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { SUBSCRIPTIONS_MAX } from '../contract/subscriptions.ts'
import { readAllowance, readTerms } from './allowance.ts'
import { dayAt } from './days.ts'
import { planError, subscriptionError } from './errors.ts'
import {
  beginTerm,
  type LifeCause,
  type LifeDeps,
  readLife,
  setWindows,
  storeTransition,
  toLifeCells,
} from './life.ts'
import {
  insertSubscription,
  listSubscriptionsOf,
  lockPlan,
  lockSubscription,
  type PlanRow,
  type SubscriptionRow,
  updateSubscription,
} from './queries.ts'
import {
  advance,
  applyEvent,
  failRenewal,
  isRenewalDue,
  payRenewal,
  renewalPrice,
  type Subscription,
  type SubscriptionEvent,
  startSubscription,
  type Transition,
} from './subscription.ts'

type Deps = LifeDeps & { readonly cause: LifeCause }

interface Purchase {
  readonly userId: number
  readonly planId: number
  /** In which days begin. */
  readonly zone: string
  /** By code: without a trial, and also of a plan that is no longer offered. */
  readonly isByCode?: boolean
}

/** Buys a plan, in the caller's transaction. Throws the errors of plans, subscriptions and the ledger. */
export async function startPlan(
  tx: Database,
  { userId, planId, zone, isByCode = false }: Purchase,
  deps: Deps,
): Promise<SubscriptionRow> {
  const plan = await (isByCode ? getPlan(tx, planId) : getOffered(tx, planId))
  await lockUser(tx, userId)
  const all = await listSubscriptionsOf(tx, userId)
  const running = all.filter(({ state }) => state !== 'ended')
  if (running.some(({ plan_id }) => plan_id === planId)) throw subscriptionError('has_plan')
  if (running.length >= SUBSCRIPTIONS_MAX) throw subscriptionError('too_many', { count: SUBSCRIPTIONS_MAX })
  const terms = readTerms(plan.terms)
  // A trial is for those who do not know the plan.
  const isFirst = !isByCode && all.every(({ plan_id }) => plan_id !== planId)
  const freeDays = isFirst ? terms.freeDays : 0
  const started = toEnding(startSubscription({ ...terms, freeDays }, dayAt(nowSeconds(), zone)), plan)
  const row = await insertSubscription(tx, {
    user_id: userId,
    plan_id: planId,
    allowance: plan.allowance,
    next_plan_id: 0,
    next_allowance: '',
    time_zone: zone,
    term_number: 0,
    carried: '{}',
    ...toLifeCells(started.subscription, zone),
    paid: 0,
    earned: 0,
    created_at: nowSeconds(),
    ended_at: 0,
  })
  return beginTerm(tx, await storeTransition(tx, row, started, deps), deps)
}

/** Locked, so that nobody deletes or changes it meanwhile. */
export async function getPlan(tx: Database, planId: number): Promise<PlanRow> {
  const plan = await lockPlan(tx, planId)
  if (!plan) throw planError('unknown')
  return plan
}

/** The same, for those who buy. */
export async function getOffered(tx: Database, planId: number): Promise<PlanRow> {
  const plan = await getPlan(tx, planId)
  if (!plan.is_offered) throw planError('not_offered')
  return plan
}

/** One that does not renew is cancelled from the beginning: it runs to the end of what was paid. */
function toEnding(started: Transition, { allowance }: Pick<PlanRow, 'allowance'>): Transition {
  if (readAllowance(allowance).renews) return started
  const cancelled = applyEvent(started.subscription, { kind: 'cancel' })
  return cancelled ? { ...cancelled, moves: [...started.moves, ...cancelled.moves] } : started
}

/** Brings a subscription to today, without paying what is due. */
const toToday = (tx: Database, row: SubscriptionRow, deps: Deps): Promise<SubscriptionRow> =>
  storeTransition(tx, row, advance(readLife(row), dayAt(nowSeconds(), row.time_zone)), deps)

/** Pays the next term from the wallet, or notes that it could not. */
async function tryRenewal(tx: Database, row: SubscriptionRow, deps: Deps): Promise<SubscriptionRow> {
  const life = readLife(row)
  const user = await lockUser(tx, row.user_id)
  const paid = user && user.quota >= renewalPrice(life) ? payRenewal(life) : undefined
  if (paid) return pay(tx, row, paid, deps)
  const failed = failRenewal(life)
  return failed ? storeTransition(tx, row, failed, deps) : row
}

async function pay(
  tx: Database,
  row: SubscriptionRow,
  paid: Transition,
  deps: Deps,
): Promise<SubscriptionRow> {
  const following = row.next_plan_id > 0 ? await switchPlan(tx, row) : row
  return beginTerm(tx, await storeTransition(tx, following, toEnding(paid, following), deps), deps)
}

/** The plan that was to follow takes the place of the current one. */
const switchPlan = (tx: Database, row: SubscriptionRow): Promise<SubscriptionRow> =>
  updateSubscription(tx, row.id, {
    plan_id: row.next_plan_id,
    allowance: row.next_allowance,
    next_plan_id: 0,
    next_allowance: '',
  })

/**
 * Does what time does to a subscription, and returns what it was and is; undefined when nothing was due. Twice, or on two
 * processes at once, it happens once: the row is locked.
 */
export const catchUp = (db: Database, id: number, deps: Deps) =>
  inTransaction(db, async tx => {
    const before = await lockSubscription(tx, id)
    if (!before || before.state === 'ended' || before.due_at > nowSeconds()) return undefined
    const advanced = await toToday(tx, before, deps)
    const after = isRenewalDue(readLife(advanced)) ? await tryRenewal(tx, advanced, deps) : advanced
    return { before, after }
  })

/** A subscription of the user, or of any, locked and brought to today. */
async function getCurrent(
  tx: Database,
  { id, userId }: { readonly id: number; readonly userId: number | undefined },
  deps: Deps,
): Promise<SubscriptionRow> {
  const row = await lockSubscription(tx, id)
  if (!row || (userId !== undefined && row.user_id !== userId)) throw subscriptionError('unknown')
  return row.state === 'ended' ? row : toToday(tx, row, deps)
}

/** What a buyer or a seller does. `userId` undefined: of any user. Throws `subscription.not_now`. */
export async function steer(
  tx: Database,
  which: { readonly id: number; readonly userId: number | undefined },
  event: SubscriptionEvent,
  deps: Deps,
): Promise<SubscriptionRow> {
  const row = await getCurrent(tx, which, deps)
  // What does not renew has nothing to keep.
  const isRejected = event.kind === 'keep' && !readAllowance(row.allowance).renews
  const transition = isRejected ? undefined : applyEvent(readLife(row), event)
  if (!transition) throw subscriptionError('not_now')
  return storeTransition(tx, row, transition, deps)
}

/** Pays what is due now instead of with the next attempt. Throws `ledger.wallet_too_small`, or `subscription.not_now`. */
export async function payNow(
  tx: Database,
  which: { readonly id: number; readonly userId: number | undefined },
  deps: Deps,
): Promise<SubscriptionRow> {
  const row = await getCurrent(tx, which, deps)
  const paid = payRenewal(readLife(row))
  if (!paid) throw subscriptionError('not_now')
  return pay(tx, row, paid, deps)
}

interface PlanChange {
  readonly planId: number
  readonly from: 'now' | 'renewal'
  /** Whether money may go back, for what may be used up already. */
  readonly mayRefund: boolean
}

/** Changes the plan of a subscription, now or with its next payment. */
export async function changePlan(
  tx: Database,
  which: { readonly id: number; readonly userId: number | undefined },
  { planId, from, mayRefund }: PlanChange,
  deps: Deps,
): Promise<SubscriptionRow> {
  const plan = await getOffered(tx, planId)
  const row = await getCurrent(tx, which, deps)
  const others = await listSubscriptionsOf(tx, row.user_id)
  if (others.some(other => other.state !== 'ended' && other.id !== row.id && other.plan_id === planId))
    throw subscriptionError('has_plan')
  const life = readLife(row)
  const terms = readTerms(plan.terms)
  const now = from === 'now' ? applyEvent(life, { kind: 'change', terms, from }) : undefined
  const isRefund = now?.moves.some(({ kind }) => kind === 'refund')
  const transition =
    now && (mayRefund || !isRefund) ? now : applyEvent(life, { kind: 'change', terms, from: 'renewal' })
  if (!transition) throw subscriptionError('not_now')
  const isNow = transition.subscription.nextTerms === undefined
  const next = isNow ? { plan_id: planId, allowance: plan.allowance } : {}
  const following = isNow ? { id: 0, allowance: '' } : { id: planId, allowance: plan.allowance }
  const renamed = await updateSubscription(tx, row.id, {
    ...next,
    next_plan_id: following.id,
    next_allowance: following.allowance,
  })
  const stored = await storeTransition(tx, renamed, isNow ? toEnding(transition, plan) : transition, deps)
  if (isNow) await changeWindows(tx, { before: life, row: stored }, deps)
  return stored
}

/** A period of another length is a new term; otherwise the windows of the term go on with other amounts. */
async function changeWindows(
  tx: Database,
  { before, row }: { readonly before: Subscription; readonly row: SubscriptionRow },
  deps: Deps,
): Promise<void> {
  const { anchor } = readLife(row)
  if (anchor.day === before.anchor.day) await setWindows(tx, row, deps)
  else await beginTerm(tx, row, deps)
}

/** Ends all subscriptions of a user who is deleted: nobody is left to refund. */
export async function endAllOf(tx: Database, userId: number, deps: Deps): Promise<void> {
  for (const { id, state } of await listSubscriptionsOf(tx, userId))
    if (state !== 'ended') await endOne(tx, id, deps)
}

async function endOne(tx: Database, id: number, deps: Deps): Promise<void> {
  const row = await lockSubscription(tx, id)
  const transition = row && applyEvent(readLife(row), { kind: 'end', isRefunded: false })
  if (row && transition) await storeTransition(tx, row, transition, deps)
}
