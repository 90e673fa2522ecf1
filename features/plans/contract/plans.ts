import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { COST, endpoint, IdParams } from '#contract/endpoint.ts'
import { MODEL_NAME_LENGTH_MAX, QUOTA_MAX } from '#contract/fields.ts'

export const WINDOWS_MAX = 5
export const HOURS_MAX = 31 * 24
const PLAN_NAME_LENGTH_MAX = 40
const DESCRIPTION_LENGTH_MAX = 500
export const PERIOD_COUNT_MAX = 36
export const FREE_DAYS_MAX = 90
export const GRACE_DAYS_MAX = 60
export const CODES_AT_ONCE_MAX = 100
const NAMES_MAX = 200
const GROUP_LENGTH_MAX = 64
const PERCENT_MAX = 100

export const PERIOD_UNITS = ['day', 'week', 'month'] as const
export const WINDOW_PERIODS = ['rolling', 'day', 'week', 'month', 'term'] as const
export const WINDOW_UNITS = ['quota', 'tokens', 'requests'] as const
export const WHEN_USED_UP = ['wallet', 'wait', 'stop'] as const

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
    unused_codes: z.number().meta({ description: 'Codes that nobody has used.', example: 20 }),
  })
  .meta({ id: 'SoldPlan', description: 'A plan as administrators see it.' })
export type SoldPlan = z.infer<typeof SoldPlan>

const PLAN_RECORD = auditedRecord('plan', 'plans', {
  columns: ['name', 'price', 'is_offered', 'terms', 'allowance'],
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
  description: 'Refused while subscriptions of it run or codes are unused: stop offering it instead.',
  params: IdParams,
})

const CODE_RECORD = auditedRecord('plan-code', 'plan_codes', {
  columns: ['plan_id', 'user_id'],
  secrets: ['key_hash'],
  createdAt: 'created_at',
})
const ofPlan = ({ params }: { readonly params: { readonly id: number } }) => ({ plan_id: [params.id] })

export const createPlanCodes = endpoint({
  method: 'POST',
  path: '/api/plan/:id/codes',
  role: 'admin',
  changes: CODE_RECORD,
  changedRows: ofPlan,
  summary: 'Create codes of a plan',
  description: 'Each buys one period, without a trial. They are shown once.',
  params: IdParams,
  body: z.object({
    count: z
      .number()
      .int()
      .min(1)
      .max(CODES_AT_ONCE_MAX)
      .default(1)
      .meta({ description: 'How many.', example: 10 }),
  }),
  reply: z.array(z.string()).meta({
    format: 'password',
    description: 'The codes.',
    example: ['plan-3f6c1e0a9b7d4c52a1e8f03d6b9c7e54'],
  }),
})

export const deletePlanCodes = endpoint({
  method: 'DELETE',
  path: '/api/plan/:id/codes',
  role: 'admin',
  changes: CODE_RECORD,
  changedRows: ofPlan,
  summary: 'Delete the unused codes of a plan',
  params: IdParams,
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
