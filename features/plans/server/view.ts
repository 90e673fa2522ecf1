import type { Plan } from '../contract/plans.ts'
import type { Subscription as SubscriptionView } from '../contract/subscriptions.ts'
import { readAllowance, readTerms } from './allowance.ts'
import { readLife } from './life.ts'
import type { NamedSubscriptionRow, PlanRow } from './queries.ts'

export function toPlan(row: PlanRow): Plan {
  const terms = readTerms(row.terms)
  const allowance = readAllowance(row.allowance)
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    price: row.price,
    period_unit: terms.period.unit,
    period_count: terms.period.count,
    trial_days: terms.freeDays,
    grace_days: terms.graceDays,
    renews: allowance.renews,
    windows: [...allowance.windows],
    carry_over_percent: allowance.carryOverPercent,
    groups: [...allowance.groups],
    models: [...allowance.models],
    when_used_up: allowance.whenUsedUp,
    is_offered: row.is_offered === 1,
    created_time: row.created_at,
  }
}

export function toSubscription(row: NamedSubscriptionRow): SubscriptionView {
  const { terms, term } = readLife(row)
  const { name, renews } = readAllowance(row.allowance)
  return {
    id: row.id,
    user_id: row.user_id,
    username: row.username ?? '',
    plan_id: row.plan_id,
    plan: name,
    state: row.state,
    is_covering: row.is_covering === 1,
    renews,
    price: terms.price,
    days: term.days,
    days_left: term.days - term.counted,
    next_time: row.ends_at,
    next_plan: row.next_allowance === '' ? '' : readAllowance(row.next_allowance).name,
    next_price: row.next_price,
    paid: row.paid,
    earned: row.earned,
    owed: row.owed,
    created_time: row.created_at,
    ended_time: row.ended_at,
  }
}
