import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { changesOf, viewOf } from '#contract/entities/stored.ts'
import { flagField, MODEL_NAME_LENGTH_MAX, numberField, QUOTA_MAX, TimeZoneName } from '#contract/fields.ts'

export const UNITS = ['quota', 'tokens', 'requests'] as const
export const PERIODS = ['none', 'rolling', 'hour', 'day', 'week', 'month'] as const
/** To which a budget lowers the effort of requests, the lowest first. */
export const EFFORTS = ['low', 'medium', 'high'] as const
export type Period = (typeof PERIODS)[number]

export const HOURS_MAX = 31 * 24
export const BUDGETS_MAX = 20
const SUBJECTS_AT_ONCE_MAX = 100
/** Of one reply. */
export const LISTED_MAX = 500
const NAME_LENGTH_MAX = 60
const PERCENT_MAX = 100

/** What a budget says, stored in columns of the same names. */
export const BudgetFields = z.object({
  amount: z.number().int().min(0).max(QUOTA_MAX).meta({
    description: 'What may be used in each window, in `unit`. 500,000 units of quota are one dollar.',
    example: 5_000_000,
  }),
  period: z.enum(PERIODS).default('month').meta({
    description:
      '`none`: what is used never returns. `rolling`: the last `hours`. Otherwise the calendar hour, day, week (from Monday) or month of `time_zone`.',
    example: 'month',
  }),
  hours: z
    .number()
    .int()
    .min(0)
    .max(HOURS_MAX)
    .default(0)
    .meta({ description: `Of a \`rolling\` window, 1 to ${HOURS_MAX}; otherwise 0.`, example: 0 }),
  time_zone: TimeZoneName.meta({
    description: 'Zone of calendar windows. Empty when it is created: `ReportingTimeZone`.',
    example: 'Europe/Berlin',
  }),
  name: z.string().trim().max(NAME_LENGTH_MAX).default('').meta({
    description: 'Names it in rejections and warnings. Empty: by its period.',
    example: 'Course 101',
  }),
  model: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default('').meta({
    description:
      'Only requests for this model, or those of a pattern with one `*`; also those that let it answer in place of theirs. Empty: any.',
    example: 'claude-opus-*',
  }),
  group: z
    .string()
    .trim()
    .max(64)
    .default('')
    .meta({ description: 'Only requests in this group. Empty: any.', example: '' }),
  is_hard: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether it rejects requests; otherwise it counts and warns.', example: true }),
  warn_percent: z.number().int().min(0).max(PERCENT_MAX).default(0).meta({
    description: 'Share of the amount at which its user is notified, in percent; 0: never.',
    example: 80,
  }),
  bend_percent: z.number().int().min(0).max(PERCENT_MAX).default(0).meta({
    description:
      'Share of the amount from which on `bend_from` is replaced by `bend_to`, and its effort lowered to `bend_effort`, in percent; 0: never. Requests in progress go on.',
    example: 80,
  }),
  bend_from: z
    .string()
    .trim()
    .max(MODEL_NAME_LENGTH_MAX)
    .default('')
    .meta({ description: 'A model, or a pattern with one `*`. Empty: any.', example: 'claude-opus-*' }),
  bend_to: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default('').meta({
    description:
      'The model in its place. A `*` stands for what that of `bend_from` does. Empty: it stays, and only its effort is lowered.',
    example: 'claude-sonnet-*',
  }),
  bend_effort: z
    .enum(['', ...EFFORTS])
    .default('')
    .meta({
      description:
        'The most reasoning effort that requests get then: higher ones are lowered to it, lower ones stay. Empty: any.',
      example: 'low',
    }),
  is_enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether it rejects, counts and warns at all.', example: true }),
})

const SubjectName = z.string().max(20).default('')

const Subject = z.object({
  subject: SubjectName.meta({
    description:
      'Whose requests it bounds: those of a `token`, those of a `user` with all tokens and the playground, or those of a kind that another feature has.',
    example: 'token',
  }),
  subject_id: z
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Id of the token, the user or the other subject.', example: 12 }),
  unit: z.enum(UNITS).default('quota').meta({
    description: '`quota`: money. `tokens`: of input and output. `requests`: answered ones.',
    example: 'quota',
  }),
})

export const Budget = z
  .object({
    id: numberField('Id of the budget.', 3),
    ...Subject.shape,
    ...viewOf(BudgetFields),
    is_managed: flagField('Set by an administrator, so its user cannot change it.', false),
    used: numberField('Used in the current window, in `unit`.', 1_200_000),
    held: numberField('Reserved by requests in progress, in `unit`.', 40_000),
    saved: numberField(
      'Quota units that replaced models would have cost more in the current window.',
      90_000,
    ),
    resets_time: numberField(
      'Unix seconds at which the window ends; of a rolling one, at which the first use in it no longer counts. 0: never, or nothing is used.',
      1_764_543_600,
    ),
    created_time: numberField('Unix seconds.', 1_760_000_000),
  })
  .meta({ id: 'Budget', description: 'A bound on what a subject may use.' })
export type Budget = z.infer<typeof Budget>

/** Whether a budget rejects what is beyond an amount of money in a calendar month, whatever it is for. */
export const boundsMonth = ({ period, unit, model, group, is_hard, is_enabled }: Budget): boolean =>
  period === 'month' && unit === 'quota' && model === '' && group === '' && is_hard && is_enabled

/** The monthly cap of a member or project, which is a field of their form. Budgets that say more are listed beside it. */
export const findMonthlyCap = (budgets: readonly Budget[]): Budget | undefined =>
  budgets.find(
    budget =>
      boundsMonth(budget) &&
      budget.name === '' &&
      budget.warn_percent + budget.bend_percent === 0 &&
      !budget.is_managed,
  )

export const BudgetDraft = Subject.extend(BudgetFields.shape)
export type BudgetDraft = z.infer<typeof BudgetDraft>
export const BudgetChange = z.object(changesOf(BudgetFields))
export type BudgetChange = z.infer<typeof BudgetChange>

const RECORD = auditedRecord('budget', 'budgets', {
  columns: [...Object.keys(Subject.shape), ...Object.keys(BudgetFields.shape), 'is_managed'],
  createdAt: 'created_at',
})
/** Empty, or ids with commas between. */
const SUBJECT_IDS = new RegExp(`^(\\d{1,15}(,\\d{1,15}){0,${SUBJECTS_AT_ONCE_MAX - 1}})?$`)
const role = 'user'
const WHOSE =
  'Of your own tokens, and for administrators of users whose role is below their own and of their tokens.'

export const listBudgets = endpoint({
  method: 'GET',
  path: '/api/budget/',
  role,
  organization: 'admin',
  summary: 'List the budgets of a subject',
  description: `${WHOSE} Without a subject, all of your own, ${LISTED_MAX} at most: \`after_id\` continues. The oldest first.`,
  query: z.object({
    subject: SubjectName.meta({ description: 'Such as `token` or `user`.', example: 'token' }),
    subject_id: z.coerce.number().int().min(0).default(0).meta({ description: 'Its id.', example: 12 }),
    subject_ids: z
      .string()
      .regex(SUBJECT_IDS)
      .default('')
      .meta({
        description: `Instead of \`subject_id\`: up to ${SUBJECTS_AT_ONCE_MAX} ids with commas between. Only budgets that you yourself pay for.`,
        example: '12,13',
      }),
    after_id: z.coerce.number().int().min(0).default(0).meta({
      description: 'Without a subject: only budgets with a greater id, such as that of the last one so far.',
      example: 0,
    }),
  }),
  reply: z.array(Budget),
})

export const createBudget = endpoint({
  method: 'POST',
  path: '/api/budget/',
  role,
  organization: 'admin',
  changes: RECORD,
  summary: 'Create a budget',
  description: `${WHOSE} At most ${BUDGETS_MAX} for each subject. Only administrators create budgets of users: for an organisation its own, of the user with its id.`,
  body: BudgetDraft,
  reply: Budget,
})

export const updateBudget = endpoint({
  method: 'PUT',
  path: '/api/budget/:id',
  role,
  organization: 'admin',
  changes: RECORD,
  summary: 'Change a budget',
  description: `${WHOSE} Absent fields stay. Use so far counts towards the new amount and window; requests in progress go on.`,
  params: IdParams,
  body: BudgetChange,
  reply: Budget,
})

export const deleteBudget = endpoint({
  method: 'DELETE',
  path: '/api/budget/:id',
  role,
  organization: 'admin',
  changes: RECORD,
  summary: 'Delete a budget',
  description: WHOSE,
  params: IdParams,
})
