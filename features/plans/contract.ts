import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { COST, endpoint, IdParams, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { MODEL_NAME_LENGTH_MAX, QUOTA_MAX } from '#contract/fields.ts'

export const WINDOWS_MAX = 5
export const HOURS_MAX = 31 * 24
export const PLAN_NAME_LENGTH_MAX = 40
export const DESCRIPTION_LENGTH_MAX = 500
export const PERIOD_COUNT_MAX = 36
export const FREE_DAYS_MAX = 90
export const GRACE_DAYS_MAX = 60
export const SUBSCRIPTIONS_MAX = 10
const NAMES_MAX = 200
const GROUP_LENGTH_MAX = 64
const PERCENT_MAX = 100

export const PERIOD_UNITS = ['day', 'week', 'month'] as const
export const WINDOW_PERIODS = ['rolling', 'day', 'week', 'month', 'term'] as const
export const WINDOW_UNITS = ['quota', 'tokens', 'requests'] as const
export const WHEN_USED_UP = ['wallet', 'wait', 'stop'] as const
export const SUBSCRIPTION_STATES = ['trial', 'active', 'past_due', 'paused', 'cancelled', 'ended'] as const

export const PlanWindow = z
  .object({
    period: z.enum(WINDOW_PERIODS).meta({
      description:
        '`rolling`: the last `hours`. `term`: from one payment to the next. Otherwise the calendar day, week (from Monday) or month.',
      example: 'rolling',
    }),
    hours: z
      .number()
      .int()
      .min(0)
      .max(HOURS_MAX)
      .default(0)
      .meta({ description: `Of a \`rolling\` window, 1 to ${HOURS_MAX}; otherwise 0.`, example: 5 }),
    unit: z.enum(WINDOW_UNITS).default('quota').meta({
      description: '`quota`: list prices. `tokens`: of input and output. `requests`: answered ones.',
      example: 'quota',
    }),
    amount: z.number().int().min(1).max(QUOTA_MAX).meta({
      description: 'What may be used in the window, in `unit`. 500,000 units of quota are one dollar.',
      example: 5_000_000,
    }),
  })
  .meta({ id: 'PlanWindow', description: 'What a plan allows in a window of time.' })
export type PlanWindow = z.infer<typeof PlanWindow>

/** What a plan sells, without its state. */
export const PlanDraft = z.object({
  name: z.string().trim().min(1).max(PLAN_NAME_LENGTH_MAX).meta({ description: 'Name.', example: 'Pro' }),
  description: z
    .string()
    .trim()
    .max(DESCRIPTION_LENGTH_MAX)
    .default('')
    .meta({ description: 'What buyers read below the name.', example: 'For every day.' }),
  price: z
    .number()
    .int()
    .min(0)
    .max(QUOTA_MAX)
    .meta({ description: 'Price of one period in quota units.', example: 10_000_000 }),
  period_unit: z
    .enum(PERIOD_UNITS)
    .default('month')
    .meta({ description: 'How long one payment lasts, with `period_count`.', example: 'month' }),
  period_count: z
    .number()
    .int()
    .min(1)
    .max(PERIOD_COUNT_MAX)
    .default(1)
    .meta({ description: 'Days, weeks or months of a period.', example: 1 }),
  trial_days: z
    .number()
    .int()
    .min(0)
    .max(FREE_DAYS_MAX)
    .default(0)
    .meta({ description: 'Free days before the first payment, once for each user; 0: none.', example: 7 }),
  grace_days: z.number().int().min(0).max(GRACE_DAYS_MAX).default(3).meta({
    description: 'Days on which a payment that failed is tried again before the subscription ends.',
    example: 3,
  }),
  renews: z.boolean().default(true).meta({
    description: 'Whether the next period is paid from the balance when one is over. Otherwise it ends.',
    example: true,
  }),
  windows: z
    .array(PlanWindow)
    .min(1)
    .max(WINDOWS_MAX)
    .meta({
      description: 'What may be used; all of them apply together.',
      example: [{ period: 'rolling', hours: 5, unit: 'quota', amount: 500_000 }],
    }),
  carry_over_percent: z.number().int().min(0).max(PERCENT_MAX).default(0).meta({
    description:
      'How much of what a `term` window allows may pass unused into the next term, in percent; 0: nothing.',
    example: 50,
  }),
  groups: z
    .array(z.string().trim().min(1).max(GROUP_LENGTH_MAX))
    .max(NAMES_MAX)
    .default([])
    .meta({ description: 'Groups whose requests it covers. Empty: any.', example: ['default'] }),
  models: z
    .array(z.string().trim().min(1).max(MODEL_NAME_LENGTH_MAX))
    .max(NAMES_MAX)
    .default([])
    .meta({
      description:
        'Models that it covers, as requests name them; a final `*` stands for any end. Empty: any.',
      example: ['claude-*'],
    }),
  when_used_up: z.enum(WHEN_USED_UP).default('wallet').meta({
    description:
      'What follows when nothing is left in a window. `wallet`: the balance pays. `wait`: 429 with `Retry-After`. `stop`: 403, which clients do not repeat.',
    example: 'wallet',
  }),
  is_offered: z.boolean().default(true).meta({
    description: 'Whether users can buy it. Subscriptions of a plan that is no longer offered go on.',
    example: true,
  }),
})

export type PlanDraft = z.infer<typeof PlanDraft>

const PlanView = {
  id: z.number().meta({ description: 'Id of the plan.', example: 2 }),
  ...PlanDraft.shape,
  created_time: z.number().meta({ description: 'Unix seconds.', example: 1_760_000_000 }),
}

export const Plan = z.object(PlanView).meta({ id: 'Plan', description: 'What subscriptions are sold of.' })
export type Plan = z.infer<typeof Plan>

export const SoldPlan = z
  .object({
    ...PlanView,
    subscribers: z.number().meta({ description: 'Subscriptions that have not ended.', example: 12 }),
  })
  .meta({ id: 'SoldPlan', description: 'A plan as administrators see it.' })
export type SoldPlan = z.infer<typeof SoldPlan>

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

const PLAN_RECORD = auditedRecord('plan', 'plans', {
  columns: ['name', 'price', 'is_offered', 'terms', 'allowance'],
  createdAt: 'created_at',
})
const SUBSCRIPTION_RECORD = auditedRecord('subscription', 'subscriptions', {
  columns: ['user_id', 'plan_id', 'state', 'next_plan_id', 'paid'],
  counters: ['paid'],
  createdAt: 'created_at',
})

export const listOfferedPlans = endpoint({
  method: 'GET',
  path: '/api/plan/offered',
  role: 'user',
  summary: 'List the plans that are offered',
  description: 'The cheapest first.',
  reply: z.array(Plan),
})

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/plan/',
  role: 'admin',
  summary: 'List all plans',
  description: 'The cheapest first.',
  reply: z.array(SoldPlan),
})

export const createPlan = endpoint({
  method: 'POST',
  path: '/api/plan/',
  role: 'admin',
  changes: PLAN_RECORD,
  summary: 'Create a plan',
  body: PlanDraft,
  reply: Plan,
})

export const updatePlan = endpoint({
  method: 'PUT',
  path: '/api/plan/:id',
  role: 'admin',
  changes: PLAN_RECORD,
  summary: 'Change a plan',
  description: 'Running subscriptions keep what they were bought with; buyers and changes get the new terms.',
  params: IdParams,
  body: PlanDraft,
  reply: Plan,
})

export const deletePlan = endpoint({
  method: 'DELETE',
  path: '/api/plan/:id',
  role: 'admin',
  changes: PLAN_RECORD,
  summary: 'Delete a plan',
  description: 'Refused while subscriptions of it run: stop offering it instead.',
  params: IdParams,
})

export const SubscriptionListQuery = PagesFromOne.extend({
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
export type SubscriptionListQuery = z.infer<typeof SubscriptionListQuery>

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

export const PlanRevenue = z
  .object({
    subscribers: z.number().meta({ description: 'Subscriptions that cover requests.', example: 12 }),
    past_due: z.number().meta({ description: 'Subscriptions that wait for a payment.', example: 1 }),
    owed: z.number().meta({ description: 'Quota units owed in days to come.', example: 50_000_000 }),
    days: z
      .array(
        z.object({
          day: z.string().meta({ description: 'Date, where the gateway reports.', example: '2026-05-20' }),
          paid: z.number().meta({ description: 'Quota units paid, without refunds.', example: 10_000_000 }),
          earned: z
            .number()
            .meta({ description: 'Quota units that the day has earned.', example: 4_000_000 }),
        }),
      )
      .meta({ description: 'The last days, the oldest first.', example: [] }),
    renewals: z
      .array(
        z.object({
          day: z.string().meta({ description: 'Date.', example: '2026-06-01' }),
          count: z.number().meta({ description: 'Renewals that are due.', example: 3 }),
          amount: z.number().meta({ description: 'What they cost in quota units.', example: 30_000_000 }),
        }),
      )
      .meta({ description: 'The renewals of the next days with any, the soonest first.', example: [] }),
  })
  .meta({ id: 'PlanRevenue', description: 'What plans bring.' })
export type PlanRevenue = z.infer<typeof PlanRevenue>

export const readPlanRevenue = endpoint({
  method: 'GET',
  path: '/api/plan/revenue',
  role: 'admin',
  cost: COST.statistics,
  summary: 'What plans bring: money by day, and renewals ahead',
  query: z.object({
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(366)
      .default(30)
      .meta({ description: 'Days back and ahead.', example: 30 }),
  }),
  reply: PlanRevenue,
})
