import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { COST, endpoint, IdParams, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { SUBSCRIPTION_STATES } from './subscription-states.ts'

export const SUBSCRIPTIONS_MAX = 10
const CODE_LENGTH_MAX = 200
/** Tells them from codes that credit a balance. */
export const PLAN_CODE_START = 'plan-'

export const Subscription = z
  .object({
    id: z.number().meta({ description: 'Id of the subscription.', example: 7 }),
    user_id: z.number().meta({ description: 'Id of its user.', example: 3 }),
    username: z.string().meta({ description: 'Name of its user.', example: 'ann' }),
    plan_id: z.number().meta({ description: 'Id of its plan.', example: 2 }),
    plan: z.string().meta({ description: 'Name of the plan when it was bought or renewed.', example: 'Pro' }),
    state: z.enum(SUBSCRIPTION_STATES).meta({
      description:
        '`trial`, `active`: covers requests and renews. `cancelled`: covers them to its end. `past_due`: waits for a payment. `paused`: its days wait.',
      example: 'active',
    }),
    is_covering: z.boolean().meta({ description: 'Whether it covers requests now.', example: true }),
    renews: z.boolean().meta({ description: 'Whether it can renew.', example: true }),
    price: z.number().meta({ description: 'Price of a period in quota units.', example: 10_000_000 }),
    days: z.number().meta({ description: 'Days of the current term.', example: 30 }),
    days_left: z
      .number()
      .meta({ description: 'Days of it that have not begun, counted without today.', example: 12 }),
    next_time: z.number().meta({
      description:
        'Unix seconds at which the current term is over: then it renews or ends. 0 while nothing runs, as in a pause.',
      example: 1_764_543_600,
    }),
    next_plan: z
      .string()
      .meta({ description: 'Name of the plan that follows with the renewal; empty: the same.', example: '' }),
    next_price: z.number().meta({ description: 'Quota units that the renewal costs.', example: 10_000_000 }),
    paid: z.number().meta({ description: 'Quota units paid so far, without refunds.', example: 20_000_000 }),
    earned: z
      .number()
      .meta({ description: 'Of these, earned by days that have begun.', example: 15_000_000 }),
    owed: z.number().meta({ description: 'The rest, for days to come.', example: 5_000_000 }),
    created_time: z.number().meta({ description: 'Unix seconds.', example: 1_760_000_000 }),
    ended_time: z.number().meta({ description: 'Unix seconds; 0: it goes on.', example: 0 }),
  })
  .meta({ id: 'Subscription', description: 'A plan that a user has bought.' })
export type Subscription = z.infer<typeof Subscription>

const SUBSCRIPTION_RECORD = auditedRecord('subscription', 'subscriptions', {
  columns: ['user_id', 'plan_id', 'state', 'next_plan_id', 'paid'],
  counters: ['paid'],
  createdAt: 'created_at',
})

const SubscriptionListQuery = PagesFromOne.extend({
  plan_id: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Only of this plan; 0: of any.', example: 0 }),
  user_id: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Only of this user; 0: of any.', example: 0 }),
  state: z
    .enum(['', ...SUBSCRIPTION_STATES])
    .catch('')
    .meta({ description: 'Only in this state; empty: those that have not ended.', example: '' }),
})
export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/api/subscription/',
  role: 'admin',
  cost: COST.search,
  summary: 'List subscriptions',
  description: 'The newest first.',
  query: SubscriptionListQuery,
  reply: pageOf(Subscription),
})

export const listOwnSubscriptions = endpoint({
  method: 'GET',
  path: '/api/subscription/self',
  role: 'user',
  summary: 'List your subscriptions',
  description:
    'The newest first, at most 100. What their windows have used is in `GET /api/budget/?subject=subscription&subject_id=…`.',
  reply: z.array(Subscription),
})

const PlanId = z.number().int().min(1).meta({ description: 'Id of the plan.', example: 2 })

export const subscribe = endpoint({
  method: 'POST',
  path: '/api/subscription/',
  role: 'user',
  changes: SUBSCRIPTION_RECORD,
  summary: 'Buy a plan from the balance',
  description: 'The first period is paid at once, or begins with the trial. Once for each plan at a time.',
  body: z.object({ plan_id: PlanId }),
  reply: Subscription,
})

export const orderPlan = endpoint({
  method: 'POST',
  path: '/api/subscription/order',
  role: 'user',
  changes: auditedRecord('plan-order', 'plan_orders', {
    key: 'user_id',
    columns: ['plan_id', 'created_at'],
  }),
  changedRows: ({ callerId }) => ({ user_id: [callerId] }),
  summary: 'Buy a plan as soon as a top-up pays for it',
  description: 'Within a day, and at most 30 seconds after the balance is there. Replaces an earlier order.',
  body: z.object({ plan_id: PlanId }),
  reply: z.object({
    missing: z.number().meta({ description: 'Quota units that the balance lacks.', example: 5_000_000 }),
  }),
})

export const redeemPlan = endpoint({
  method: 'POST',
  path: '/api/subscription/redeem',
  role: 'user',
  audit: 'attempts',
  changes: SUBSCRIPTION_RECORD,
  isCritical: true,
  summary: 'Redeem a code of a plan',
  description: 'Buys a period, or pays a subscription of the plan that is past due.',
  body: z.object({
    code: z.string().trim().min(1).max(CODE_LENGTH_MAX).meta({
      format: 'password',
      description: 'The code.',
      example: 'plan-3f6c1e0a9b7d4c52a1e8f03d6b9c7e54',
    }),
  }),
  reply: Subscription,
})

export const steerSubscription = endpoint({
  method: 'POST',
  path: '/api/subscription/:id/steer',
  role: 'user',
  changes: SUBSCRIPTION_RECORD,
  summary: 'Pause, resume, cancel, keep or pay a subscription',
  description:
    'Your own. `cancel`: it covers requests to the end of what was paid. `keep` takes that back. `pay`: now, what is past due. In a pause its days wait; the day of the pause and that of the return count both.',
  params: IdParams,
  body: z.object({
    step: z
      .enum(['pause', 'resume', 'cancel', 'keep', 'pay'])
      .meta({ description: 'What happens to it.', example: 'cancel' }),
  }),
  reply: Subscription,
})

export const changeSubscription = endpoint({
  method: 'POST',
  path: '/api/subscription/:id/plan',
  role: 'user',
  changes: SUBSCRIPTION_RECORD,
  summary: 'Change the plan of a subscription',
  description:
    'Your own. `now`: the rest of the period costs the same part of the new price; the difference is paid or refunded. `renewal`: with the next payment. A trial, and the last day of a period, change with the next payment.',
  params: IdParams,
  body: z.object({
    plan_id: PlanId,
    from: z.enum(['now', 'renewal']).default('now').meta({ description: 'From when on.', example: 'now' }),
  }),
  reply: Subscription,
})

export const endSubscription = endpoint({
  method: 'POST',
  path: '/api/subscription/:id/end',
  role: 'admin',
  changes: SUBSCRIPTION_RECORD,
  summary: 'End a subscription at once',
  params: IdParams,
  body: z.object({
    is_refunded: z.boolean().default(true).meta({
      description: 'Whether what is owed for days to come goes back to the balance; otherwise it is earned.',
      example: true,
    }),
  }),
  reply: Subscription,
})
