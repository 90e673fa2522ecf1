import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { Day } from './period.ts'
import type { SubscriptionState } from './subscription.ts'

export interface PlanTable {
  id: Generated<number>
  name: string
  description: string
  /** Of one period, as in `terms`. */
  price: number
  /** `PlanTerms` as JSON text. */
  terms: string
  /** `Allowance` as JSON text. */
  allowance: string
  is_offered: 0 | 1
  created_at: number
}

export interface SubscriptionTable {
  id: Generated<number>
  user_id: number
  plan_id: number
  state: SubscriptionState
  is_covering: 0 | 1
  /** `Subscription` as JSON text. The columns beside it that follow from it are there to be searched. */
  life: string
  /** `Allowance` as JSON text. */
  allowance: string
  /** The plan that follows with the next payment; 0: the same. */
  next_plan_id: number
  /** What it allows; empty without one. */
  next_allowance: string
  /** In which days begin. Stays when the option changes, so that no day counts twice. */
  time_zone: string
  /** Counts payments: windows of a term begin anew with each. */
  term_number: number
  /** What of the last term adds to the windows of this one, by their names, as JSON text. */
  carried: string
  next_price: number
  /** Unix seconds of the next thing that time does to it. */
  due_at: number
  /** Unix seconds at which its term is over; 0 while none runs. */
  ends_at: number
  /** In all, without refunds: what is earned, and what is owed. */
  paid: number
  earned: number
  owed: number
  created_at: number
  ended_at: number
}

/** What the subscriptions of a plan paid and earned on a day. */
interface PlanDayTable {
  plan_id: number
  day: Day
  /** Without refunds. */
  paid: number
  earned: number
}

interface PlanCodeTable {
  id: Generated<number>
  plan_id: number
  key_hash: string
  /** Who has used it; 0: nobody. */
  user_id: number
  created_at: number
  used_at: number
}

/** At most one of a user. */
interface PlanOrderTable {
  user_id: number
  plan_id: number
  created_at: number
}

type PlanTables = {
  plans: PlanTable
  subscriptions: SubscriptionTable
  plan_days: PlanDayTable
  plan_codes: PlanCodeTable
  plan_orders: PlanOrderTable
}

/** The database with the tables of this feature. */
export const withPlanTables = (db: Database) => db.withTables<PlanTables>()
