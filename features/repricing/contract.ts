import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { flagField, numberField, textField } from '#contract/fields.ts'

const role = 'root'

/** The options whose drafts can be tried on past requests. */
export const REPRICE_OPTIONS = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'GroupRatio',
  'ModelPriceLists',
] as const

const OPTION_CHARS_MAX = 2_000_000
const PERCENT_MAX = 1_000_000
/** Two drafts of many models are large. */
const BODY_BYTES_MAX = 16 * 1024 * 1024

const sums = {
  requests: numberField('Number of charged requests.', 1200),
  before: numberField('What was charged, in quota units.', 800_000),
  after: numberField('The charge at the other prices, in quota units.', 920_000),
}
const NamedSums = z.object({
  name: textField('Model or group; `…`: all further ones.', 'gpt-5.5'),
  ...sums,
})

export const KEPT_REASONS = ['no_receipt', 'no_usage', 'no_price', 'no_group'] as const

export const RepriceResult = z
  .object({
    ...sums,
    kept: z
      .array(
        z.object({
          reason: z.enum(KEPT_REASONS).meta({
            description:
              '`no_receipt`: the row has none. `no_usage`: it holds no usage, as that of a task. `no_price`, `no_group`: the other prices have none for the model or the group.',
            example: 'no_usage',
          }),
          requests: sums.requests,
          quota: numberField('The charge that they keep, in quota units.', 5000),
        }),
      )
      .meta({
        description: 'Requests that cannot be charged again and count with their charge on both sides.',
      }),
    models: z.array(NamedSums).meta({ description: 'By model, the largest difference first; at most 200.' }),
    groups: z.array(NamedSums).meta({ description: 'By group, the largest difference first; at most 200.' }),
    users: z
      .array(
        z.object({
          id: numberField('Id of the user.', 7),
          username: textField('Name of the user.', 'ann'),
          is_above: flagField('Whether a limit is exceeded.', true),
          ...sums,
        }),
      )
      .meta({
        description: 'Users above a limit first, then by the largest difference; at most 200.',
      }),
    user_count: numberField('Number of users with requests.', 80),
    users_above: numberField('Number of users above a limit.', 3),
  })
  .meta({ id: 'RepriceResult', description: 'What other prices would have meant.' })
export type RepriceResult = z.infer<typeof RepriceResult>

export const RepriceState = z
  .object({
    status: z.enum(['none', 'running', 'done', 'cancelled', 'failed']).meta({
      description: '`none`: nothing was computed in the last 15 minutes.',
      example: 'done',
    }),
    share: numberField('How much is done, from 0 to 1.', 0.4),
    started_at: numberField('Unix seconds; 0: not started.', 1_764_115_114),
    finished_at: numberField('Unix seconds; 0: not yet.', 0),
    from: numberField('Beginning of the period, in Unix seconds.', 1_764_000_000),
    until: numberField('End of the period, in Unix seconds.', 1_764_100_000),
    result: RepriceResult.optional().meta({ description: 'Present when it is done.' }),
  })
  .meta({ id: 'RepriceState', description: 'The computation of what other prices would have meant.' })
export type RepriceState = z.infer<typeof RepriceState>

const seconds = z.number().int().min(0)
const option = z
  .string()
  .max(OPTION_CHARS_MAX)
  .optional()
  .meta({ description: 'JSON by model or group.', example: '{"gpt-5.5": 2.5}' })

export const startReprice = endpoint({
  method: 'POST',
  path: '/api/reprice/',
  role,
  summary: 'Try prices on past requests',
  description:
    'Charges the requests of a period again, in the background, at the options in force with the given ones in their place. Nothing is stored. One computation runs at a time in each process; the result is kept for 15 minutes.',
  cost: COST.export,
  bodyBytesMax: BODY_BYTES_MAX,
  body: z.object({
    options: z
      .object({
        ModelRatio: option,
        ModelPrice: option,
        CompletionRatio: option,
        CacheRatio: option,
        CreateCacheRatio: option,
        GroupRatio: option,
        ModelPriceLists: option,
      })
      .meta({
        description: 'The texts of options as they would be saved. Absent: the option in force.',
        example: { GroupRatio: '{"default": 1.2}' },
      }),
    from: seconds.meta({ description: 'Beginning of the period, in Unix seconds.', example: 1_764_000_000 }),
    until: seconds.meta({
      description: 'End of the period, in Unix seconds; not part of it.',
      example: 1_764_100_000,
    }),
    limit_percent: z.number().min(0).max(PERCENT_MAX).default(0).meta({
      description:
        'Users who would have paid more by over so many percent are above the limit; 0: no such limit.',
      example: 20,
    }),
    limit_quota: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).meta({
      description: 'The same by quota units.',
      example: 500_000,
    }),
  }),
  reply: RepriceState,
})

export const getReprice = endpoint({
  method: 'GET',
  path: '/api/reprice/',
  role,
  summary: 'Read what other prices would have meant',
  reply: RepriceState,
})

export const cancelReprice = endpoint({
  method: 'POST',
  path: '/api/reprice/cancel',
  role,
  summary: 'Cancel the computation of other prices',
  reply: RepriceState,
})
