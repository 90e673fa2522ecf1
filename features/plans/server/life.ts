import { nowSeconds } from '#server/core/clock.ts'
import { sameInBoth } from '#server/core/language.ts'
import type { Database } from '#server/db/engine/database.ts'
import { adjustPlan } from '#server/ledger/adjust.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import { readAllowance, termWindowName, toBudgetRules, windowName } from './allowance.ts'
import { startOf } from './days.ts'
import { addToPlanDay, lockWindows, type SubscriptionRow, updateSubscription } from './queries.ts'
import {
  isCovering,
  type MoneyMove,
  renewalPrice,
  type Subscription,
  type Transition,
} from './subscription.ts'
import { owedIn } from './term.ts'

export interface LifeDeps {
  readonly ledger: Pick<Ledger, 'budgetRules'>
}

/** Who caused a transition. */
export interface LifeCause {
  /** 0 for the gateway. */
  readonly actorId: number
  readonly requestId: string
}

/** The cast is safe, since only `toLifeCells` writes the column. */
export const readLife = (row: Pick<SubscriptionRow, 'life'>): Subscription =>
  JSON.parse(row.life) as Subscription

/** How soon what failed is tried again. */
export const RETRY_SECONDS = 600

/** The columns that follow from a subscription. */
export function toLifeCells(life: Subscription, zone: string) {
  const { state, term, day } = life
  const covering = isCovering(life)
  const tomorrow = startOf(day + 1, zone)
  return {
    state,
    is_covering: covering ? 1 : 0,
    life: JSON.stringify(life),
    due_at: state === 'past_due' ? Math.min(tomorrow, nowSeconds() + RETRY_SECONDS) : tomorrow,
    ends_at: covering ? startOf(day + 1 + term.days - term.counted, zone) : 0,
    next_price: renewalPrice(life),
    owed: owedIn(term),
  } as const
}

/**
 * Stores what a subscription has become, in the transaction that has locked it: posts the money, and sets its windows when its
 * allowance or its term begins anew. Throws the API error ledger.wallet_too_small.
 */
export async function storeTransition(
  tx: Database,
  row: SubscriptionRow,
  { subscription: life, moves }: Transition,
  { cause, ...deps }: LifeDeps & { readonly cause: LifeCause },
): Promise<SubscriptionRow> {
  const sums = await postMoves(tx, row, moves, cause)
  const stored = await updateSubscription(tx, row.id, {
    ...toLifeCells(life, row.time_zone),
    paid: row.paid + sums.paid,
    earned: row.earned + sums.earned,
    ...(life.state === 'ended' && { ended_at: nowSeconds() }),
  })
  if (life.state === 'ended') await deps.ledger.budgetRules().put(tx, toSubject(row), [])
  return stored
}

async function postMoves(
  tx: Database,
  row: SubscriptionRow,
  moves: readonly MoneyMove[],
  cause: LifeCause,
): Promise<ReturnType<typeof sumMoves>> {
  const reason = sameInBoth(readAllowance(row.allowance).name)
  for (const { kind, amount } of moves)
    await adjustPlan(tx, { ...cause, userId: row.user_id, kind: `plan_${kind}`, amount, reason })
  for (const [day, ofDay] of Map.groupBy(moves, move => move.day))
    await addToPlanDay(tx, { planId: row.plan_id, day }, sumMoves(ofDay))
  return sumMoves(moves)
}

/** `paid`: without refunds. */
function sumMoves(moves: readonly MoneyMove[]) {
  const sumOf = (of: MoneyMove['kind']): number =>
    moves.reduce((sum, { kind, amount }) => sum + (kind === of ? amount : 0), 0)
  return { paid: sumOf('payment') - sumOf('refund'), earned: sumOf('earning') }
}

const toSubject = ({ id, user_id }: SubscriptionRow) =>
  ({ kind: 'subscription', id, userId: user_id }) as const

/** Begins a term and its windows. Those that are no windows of a term keep what is used of them. */
export async function beginTerm(
  tx: Database,
  row: SubscriptionRow,
  deps: Pick<LifeDeps, 'ledger'>,
): Promise<SubscriptionRow> {
  const carried = JSON.stringify(row.term_number > 0 ? await findCarried(tx, row) : {})
  const next = await updateSubscription(tx, row.id, { term_number: row.term_number + 1, carried })
  await setWindows(tx, next, deps)
  return next
}

/** What is left of the windows of the term that is over, as far as it is carried over. */
async function findCarried(tx: Database, row: SubscriptionRow): Promise<Readonly<Record<string, number>>> {
  const { windows, carryOverPercent } = readAllowance(row.allowance)
  if (carryOverPercent === 0) return {}
  const left = await lockWindows(tx, row.id)
  const ofTerm = windows.filter(({ period }) => period === 'term')
  return Object.fromEntries(
    ofTerm.map(window => {
      const most = Math.floor((window.amount / 100) * carryOverPercent)
      return [windowName(window), Math.min(left.get(termWindowName(window, row.term_number)) ?? 0, most)]
    }),
  )
}

/** Sets windows anew within a term: what is used of those that stay is kept. */
export async function setWindows(
  tx: Database,
  row: SubscriptionRow,
  { ledger }: Pick<LifeDeps, 'ledger'>,
): Promise<void> {
  const carried = new Map(Object.entries(readCarried(row)))
  await ledger
    .budgetRules()
    .put(tx, toSubject(row), toBudgetRules(readAllowance(row.allowance), row.term_number, carried))
}

/** The cast is safe, since only `beginTerm` writes the column. */
const readCarried = ({ carried }: SubscriptionRow) => JSON.parse(carried) as Readonly<Record<string, number>>
