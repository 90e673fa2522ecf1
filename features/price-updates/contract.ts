import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { flagField, MODEL_NAME_LENGTH_MAX, numberField, textField } from '#contract/fields.ts'
import { priceOptions } from '#contract/options/price-options.ts'

const role = 'root'
/** The options that an approval may change. */
export const PRICE_OPTIONS = () => ({ key: Object.keys(priceOptions) })
export const PRICE_UPDATE_MODELS_MAX = 3000
export const PRICE_FEED_CHARS_MAX = 8 * 1024 * 1024
/** JSON within JSON: quotation marks and line breaks take two bytes. */
const PRICE_FEED_BODY_BYTES_MAX = 2 * PRICE_FEED_CHARS_MAX
const URL_CHARS_MAX = 2000

const model = textField('Model name.', 'gpt-5.5')
const seconds = (description: string) => numberField(description, 1_764_115_114)
const PriceDifference = z.object({
  line: textField(
    'Which price: `input`, `cached_input`, `output`, `request`, `above_200000.input` for long prompts, `batch.input` for a service tier, `search.low`, `tool_calls.maps`, `regions.us` …',
    'input',
  ),
  from: z.number().optional().meta({
    description: 'Price in force: dollars per million tokens or per use, or a factor. Absent: there is none.',
    example: 2.5,
  }),
  to: z.number().optional().meta({ description: 'Price of the feed; absent: there is none.', example: 1.25 }),
})

export const PRICE_UPDATE_STATUSES = [
  'new',
  'dearer',
  'cheaper',
  'changed',
  'retired',
  'renamed',
  'missing',
] as const

export const PriceUpdate = z
  .object({
    model,
    status: z.enum(PRICE_UPDATE_STATUSES).meta({
      description:
        '`changed`: some prices rise and others fall. `retired`, `renamed` and `missing` only inform: what the feed says of a model that channels serve.',
      example: 'cheaper',
    }),
    differences: z.array(PriceDifference).meta({ description: 'Prices that differ.' }),
    factor: z.number().optional().meta({
      description:
        'The largest change, 0.5 for half the price; absent for new models and for prices that were 0.',
      example: 0.5,
    }),
    is_suspicious: flagField('Free, or at least ten times dearer or cheaper.', false),
    is_pinned: flagField('The model keeps its price.', false),
    is_served: flagField('An enabled channel serves the model.', true),
    retires: z.string().optional().meta({
      description: 'Day from which the provider no longer serves the model.',
      example: '2027-03-05',
    }),
    successor: z.string().optional().meta({ description: 'Model that takes its place.', example: 'gpt-5.6' }),
    scheduled_at: numberField(
      'Unix seconds at which an approved price takes effect; 0: none is approved.',
      0,
    ),
  })
  .meta({ id: 'PriceUpdate', description: 'A difference between the prices in force and the last feed.' })
export type PriceUpdate = z.infer<typeof PriceUpdate>

const PriceProblem = z.object({
  model: textField('Model name, shortened.', 'gpt-5.5'),
  reason: textField(
    '`shape`, `name`, `name_too_long`, `renamed`, `duplicate`, `not_a_number`, `negative`, `too_high`, `too_low`, `tiers`, `unknown_price`, `placeholder` or `inexact`.',
    'negative',
  ),
  message: textField('The reason in your language.', 'input is -1: a price cannot be negative'),
})

export const PriceUpdates = z
  .object({
    revision: textField('Identifies the reading; empty: none yet.', ''),
    source: textField('Address or name of the feed.', 'https://models.dev/api.json'),
    format: textField(
      '`litellm`, `models_dev`, `openrouter`, `pricing`, `ratio_config` or `catalogue`.',
      'models_dev',
    ),
    read_at: seconds('When the feed was read, in Unix seconds; 0: never.'),
    row_count: numberField('Number of prices in the feed.', 512),
    rows: z.array(PriceUpdate).meta({ description: 'Differences; models that channels serve come first.' }),
    problems: z
      .array(PriceProblem)
      .meta({ description: 'Rows of the feed that are wrong and change nothing.' }),
  })
  .meta({ id: 'PriceUpdates', description: 'What the last feed would change.' })
export type PriceUpdates = z.infer<typeof PriceUpdates>

export const getPriceUpdates = endpoint({
  method: 'GET',
  path: '/api/price_update/',
  role,
  summary: 'List proposed prices',
  description: 'The differences between the prices in force and the feed that was read last.',
  reply: PriceUpdates,
})

export const readPriceFeed = endpoint({
  method: 'POST',
  path: '/api/price_update/read',
  role,
  summary: 'Read prices from a feed',
  description:
    "Reads LiteLLM's `model_prices_and_context_window.json`, the `api.json` of models.dev, OpenRouter's `/api/v1/models`, the `/api/pricing` or `/api/ratio_config` of a gateway of this lineage, or this gateway's own catalogue format. Nothing changes: the differences become proposals, in place of earlier ones.",
  cost: COST.providerCall,
  bodyBytesMax: PRICE_FEED_BODY_BYTES_MAX,
  body: z.object({
    url: z.string().trim().max(URL_CHARS_MAX).default('').meta({
      description: 'Address to fetch. Empty: `text` is the feed.',
      example: 'https://models.dev/api.json',
    }),
    text: z
      .string()
      .max(PRICE_FEED_CHARS_MAX)
      .default('')
      .meta({ description: 'The feed as JSON.', example: '{}' }),
    name: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default('').meta({
      description: 'What to call the feed, such as the name of its file.',
      example: 'api.json',
    }),
  }),
  reply: PriceUpdates,
})

const Models = z
  .array(z.string().min(1).max(MODEL_NAME_LENGTH_MAX))
  .min(1)
  .max(PRICE_UPDATE_MODELS_MAX)
  .meta({ description: 'Model names.', example: ['gpt-5.5'] })

export const approvePriceUpdates = endpoint({
  method: 'POST',
  path: '/api/price_update/approve',
  role,
  changes: RECORDS.option,
  changedRows: PRICE_OPTIONS,
  summary: 'Approve proposed prices',
  needs: 'recent-session',
  description:
    'All or none. The prices are written to the price options now, or when `effective_at` has come.',
  body: z.object({
    revision: z.string().max(100).meta({ description: 'The reading that was shown.', example: '01k9' }),
    models: Models,
    effective_at: z.number().int().min(0).default(0).meta({
      description: 'Unix seconds from which the prices apply; 0: now.',
      example: 0,
    }),
    with_suspicious: z.boolean().default(false).meta({
      description: 'Whether suspicious prices may be among them.',
      example: false,
    }),
  }),
  reply: z.object({
    batch: textField('Identifies the changes for the undo.', '01k9'),
    count: numberField('Number of models.', 3),
  }),
})

export const pinPriceUpdates = endpoint({
  method: 'POST',
  path: '/api/price_update/pin',
  role,
  summary: 'Pin or unpin the price of models',
  description: 'Pinned models keep their price and are not reported again.',
  body: z.object({
    models: Models,
    is_pinned: flagField('Pin or unpin.', true),
  }),
})

export const PriceChange = z
  .object({
    id: numberField('Id of the change.', 12),
    batch: textField('Shared by models that were approved together.', '01k9'),
    model,
    source: textField('Address or name of the feed.', 'api.json'),
    status: z.enum(['scheduled', 'applied', 'undone', 'cancelled', 'failed']).meta({
      description: '`failed`: the price could no longer be applied when its time came.',
      example: 'applied',
    }),
    user_id: numberField('Id of the administrator who approved it.', 1),
    username: textField('Name of this administrator.', 'root'),
    created_at: seconds('When it was approved, in Unix seconds.'),
    effective_at: seconds('From when it is to apply, in Unix seconds.'),
    applied_at: seconds('When it was applied, in Unix seconds; 0: not yet.'),
    ended_at: seconds('When it was undone or cancelled, in Unix seconds; 0: it was not.'),
    differences: z.array(PriceDifference).meta({ description: 'Old and new prices.' }),
  })
  .meta({ id: 'PriceChange', description: 'An approved price of one model.' })
export type PriceChange = z.infer<typeof PriceChange>

export const listPriceChanges = endpoint({
  method: 'GET',
  path: '/api/price_update/changes',
  role,
  summary: 'List approved prices',
  description: 'Newest first.',
  query: PagesFromOne,
  reply: pageOf(PriceChange),
})

export const undoPriceChanges = endpoint({
  method: 'POST',
  path: '/api/price_update/undo',
  role,
  changes: RECORDS.option,
  changedRows: PRICE_OPTIONS,
  summary: 'Undo approved prices',
  needs: 'recent-session',
  description:
    'Restores the prices that the models of a batch had, and cancels those that are scheduled. All or none: a price that was changed since is not overwritten.',
  body: z.object({ batch: z.string().min(1).max(100).meta({ description: 'The batch.', example: '01k9' }) }),
  reply: z.object({ count: numberField('Number of models.', 3) }),
})
