import { z } from 'zod'
import { COST, endpoint, IdParams, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { flagField, numberField, textField } from '#contract/fields.ts'

const role = 'admin'
export const BILL_FILES_MAX = 5
export const BILL_CHARS_MAX = 8 * 1024 * 1024
/** JSON within JSON: quotation marks and line breaks take two bytes. */
const BILL_BODY_BYTES_MAX = 2 * BILL_CHARS_MAX
const FILE_NAME_CHARS_MAX = 200
const TOP_UPS_MAX = 1_000_000
export const RECONCILED_CHANNELS_MAX = 100
/** A quarter of a year. */
export const RECONCILED_DAYS_MAX = 93
export const RECONCILIATIONS_KEPT = 200

export const BILL_FORMATS = [
  'openai_costs',
  'openai_usage',
  'anthropic_costs',
  'anthropic_usage',
  'openrouter_generations',
  'openrouter_days',
  'plain',
] as const

export const RECONCILIATION_CAUSES = [
  'unknown_cost',
  'no_purchase_prices',
  'no_price',
  'not_through_gateway',
  'not_billed',
  'time_zone',
  'days_missing',
  'rows_outside',
  'items_without_model',
  'factor',
  'credits',
  'rounding',
  'charged_more',
  'charged_less',
  'edges',
  'still_counting',
] as const

const DateText = z
  .string()
  .regex(/^(\d{4}-\d{2}-\d{2})?$/)
  .default('')
const nanos = (description: string, example: number) =>
  numberField(`${description}, in billionths of a dollar.`, example)
const perhaps = (description: string, example: number) => z.number().nullable().meta({ description, example })

const Comparison = z.object({
  billed_nanos: perhaps(
    'What the provider billed, in billionths of a dollar. Null: no file states amounts.',
    1_234_560_000_000,
  ),
  computed_nanos: nanos('What the requests with a known cost cost', 1_201_200_000_000),
  difference_nanos: perhaps(
    'Billed minus computed, in billionths of a dollar. Null: unknown.',
    33_360_000_000,
  ),
  difference_percent: perhaps(
    'The difference in percent of what was billed. Null: unknown, or nothing was billed.',
    2.7,
  ),
  is_marked: flagField(
    'The amounts differ by more than 2% and more than a cent; without amounts, the requests or else the tokens by more than 2%.',
    true,
  ),
  requests: numberField('Requests that were served.', 41_200),
  unknown_cost_requests: numberField(
    'Those whose cost is not known, so that `computed_nanos` leaves them out.',
    0,
  ),
  billed_requests: perhaps('Requests that the provider counted. Null: its files do not say.', 41_350),
})

export const ReconciledModel = Comparison.extend({
  model: textField('The model as it is named to the provider. Empty: what names no model.', 'gpt-5.5'),
  requested_as: z.array(z.string()).meta({
    description: 'Names under which clients requested it, where they differ.',
    example: ['fast-model'],
  }),
  items: z.array(z.string()).meta({
    description: 'Lines of the bill that were assigned to it, at most 20.',
    example: ['gpt-5.5-2026-04-23, input', 'gpt-5.5-2026-04-23, output'],
  }),
  tokens: numberField('Tokens that were counted here, of input and output.', 98_000_000),
  billed_tokens: perhaps('Tokens that the provider counted. Null: its files do not say.', 98_100_000),
}).meta({ id: 'ReconciledModel', description: 'One model in a reconciliation.' })
export type ReconciledModel = z.infer<typeof ReconciledModel>

export const ReconciledDay = Comparison.extend({
  date: textField('Day in UTC.', '2026-11-27'),
}).meta({ id: 'ReconciledDay', description: 'One day in a reconciliation.' })
export type ReconciledDay = z.infer<typeof ReconciledDay>

const Cause = z.object({
  code: z.enum(RECONCILIATION_CAUSES).meta({ description: 'Code of the cause.', example: 'unknown_cost' }),
  message: textField(
    'The cause with its figures, in your language.',
    'The cost of 120 requests is not known.',
  ),
})

const Summary = z.object({
  id: numberField('Id of the reconciliation.', 12),
  created_at: numberField('When it was made, in Unix seconds.', 1_764_115_114),
  user_id: numberField('Id of the administrator who made it.', 1),
  username: textField('Name of this administrator.', 'root'),
  files: z.array(z.string()).meta({
    description: 'Names of the files; none where balances were compared.',
    example: ['cost_2026-11.csv'],
  }),
  channels: z
    .array(
      z.object({
        id: numberField('Channel id.', 3),
        name: textField('Name that the channel had.', 'OpenAI EU'),
      }),
    )
    .meta({ description: 'Channels that share the account that was billed.' }),
  start_timestamp: numberField('First second of the period in Unix seconds.', 1_761_955_200),
  end_timestamp: numberField('First second after the period in Unix seconds.', 1_764_547_200),
  billed_nanos: perhaps(
    'What the provider billed, in billionths of a dollar. Null: unknown.',
    1_234_560_000_000,
  ),
  computed_nanos: nanos('What the requests with a known cost cost', 1_201_200_000_000),
})
export const ReconciliationSummary = Summary.meta({
  id: 'ReconciliationSummary',
  description: 'A reconciliation that was made.',
})
export type ReconciliationSummary = z.infer<typeof ReconciliationSummary>

export const Reconciliation = Summary.extend({
  total: Comparison.meta({ description: 'All models and days together.' }),
  models: z.array(ReconciledModel).meta({ description: 'By model, the largest amounts first.' }),
  days: z.array(ReconciledDay).meta({ description: 'By day, in order.' }),
  balances: z
    .object({
      channel_id: numberField('Channel whose balance was read.', 3),
      first_balance: numberField('Dollars at the start.', 50),
      second_balance: numberField('Dollars at the end.', 37.66),
      top_ups: numberField('Dollars paid in between.', 0),
    })
    .nullable()
    .meta({ description: 'Balances that were compared in place of a bill; null for bills.' }),
  causes: z.array(Cause).meta({ description: 'What the figures tell about the difference.' }),
}).meta({ id: 'Reconciliation', description: "A provider's bill beside the computed costs." })
export type Reconciliation = z.infer<typeof Reconciliation>

export const createReconciliation = endpoint({
  method: 'POST',
  path: '/api/reconciliation/',
  role,
  summary: "Compare a provider's bill with the computed costs",
  description:
    'Reads the CSV exports of OpenAI (costs and usage), Anthropic (costs and usage) and OpenRouter (activity), and files with the columns `date`, `model`, `cost_usd` and, if wanted, `requests`. The format follows from the header. Days are those of UTC. Nothing changes; the result is kept among the last 200.',
  cost: COST.providerCall,
  bodyBytesMax: BILL_BODY_BYTES_MAX,
  body: z.object({
    channel_ids: z
      .array(z.number().int().positive())
      .min(1)
      .max(RECONCILED_CHANNELS_MAX)
      .meta({ description: 'Channels that share the account that was billed.', example: [3] }),
    start_date: DateText.meta({
      description: 'First day in UTC. Empty: the first day of the files.',
      example: '2026-11-01',
    }),
    end_date: DateText.meta({
      description: 'Last day in UTC, included. Empty: the last day of the files.',
      example: '2026-11-30',
    }),
    files: z
      .array(
        z.object({
          name: z.string().trim().max(FILE_NAME_CHARS_MAX).default('').meta({
            description: 'Name of the file.',
            example: 'cost_2026-11.csv',
          }),
          text: z.string().max(BILL_CHARS_MAX).meta({
            description: 'The file as text.',
            example: 'date,model,cost_usd\n2026-11-27,gpt-5.5,12.34\n',
          }),
        }),
      )
      .min(1)
      .max(BILL_FILES_MAX)
      .meta({ description: 'At most 5 files, whose rows are added up.' }),
  }),
  reply: Reconciliation,
})

const BalanceReading = z.object({
  id: numberField('Id of the reading.', 81),
  created_at: numberField('When it was read, in Unix seconds.', 1_764_115_114),
  balance: numberField('What the account held, in its currency.', 37.66),
  currency: textField('ISO 4217.', 'USD'),
})

export const listBalanceReadings = endpoint({
  method: 'GET',
  path: '/api/reconciliation/readings/:id',
  role,
  summary: 'List readings of the balance of a channel',
  description: 'Newest first, at most 500. Each query of a balance adds one, by hand or by schedule.',
  params: IdParams,
  reply: z.array(BalanceReading),
})

export const reconcileBalance = endpoint({
  method: 'POST',
  path: '/api/reconciliation/balance',
  role,
  summary: 'Compare two readings of a balance with the computed costs',
  description:
    'The first balance plus the top-ups minus the second balance is what the account was charged in between. Only accounts in dollars. The result is kept among the last 200.',
  cost: COST.statistics,
  body: z.object({
    channel_ids: z
      .array(z.number().int().positive())
      .min(1)
      .max(RECONCILED_CHANNELS_MAX)
      .meta({ description: 'Channels that share the account.', example: [3] }),
    first_id: z.number().int().positive().meta({ description: 'Id of a reading.', example: 80 }),
    second_id: z
      .number()
      .int()
      .positive()
      .meta({ description: 'Id of another reading of the same channel.', example: 81 }),
    top_ups: z.number().min(0).max(TOP_UPS_MAX).default(0).meta({
      description: 'Dollars that were paid into the account in between.',
      example: 0,
    }),
  }),
  reply: Reconciliation,
})

export const listReconciliations = endpoint({
  method: 'GET',
  path: '/api/reconciliation/',
  role,
  summary: 'List reconciliations',
  description: 'Newest first.',
  query: PagesFromOne,
  reply: pageOf(ReconciliationSummary),
})

export const ReconcilableChannel = z
  .object({
    id: numberField('Channel id.', 3),
    name: textField('Channel name.', 'OpenAI EU'),
    has_purchase_prices: flagField('Whether requests through it have a known cost.', true),
    can_query_balance: flagField('Whether the provider reports the balance of the account.', false),
  })
  .meta({ id: 'ReconcilableChannel', description: 'A channel whose costs can be compared with a bill.' })
export type ReconcilableChannel = z.infer<typeof ReconcilableChannel>

export const listReconcilableChannels = endpoint({
  method: 'GET',
  path: '/api/reconciliation/channels',
  role,
  summary: 'List channels for a reconciliation',
  reply: z.array(ReconcilableChannel),
})

export const getReconciliation = endpoint({
  method: 'GET',
  path: '/api/reconciliation/:id',
  role,
  summary: 'Get a reconciliation',
  params: IdParams,
  reply: Reconciliation,
})

export const exportReconciliation = endpoint({
  method: 'GET',
  path: '/api/reconciliation/:id/export',
  role,
  audit: 'success',
  cost: COST.statistics,
  summary: 'Export a reconciliation as CSV',
  needs: 'recent-session',
  description: 'One row for each model or day and one for the total, amounts in dollars.',
  params: IdParams,
  query: z.object({
    by: z
      .enum(['model', 'day'])
      .default('model')
      .meta({ description: 'What the rows are.', example: 'model' }),
  }),
  produces: 'text/csv',
})

export const deleteReconciliation = endpoint({
  method: 'DELETE',
  path: '/api/reconciliation/:id',
  role,
  summary: 'Delete a reconciliation',
  params: IdParams,
})
