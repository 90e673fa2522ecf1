import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { byPost, COST, endpoint, IdParams } from '#contract/endpoint.ts'
import { UsageCounting } from '#contract/entities/channels/channel-setting.ts'
import { MODEL_NAME_LENGTH_MAX, numberField, QueryFlag, QueryText, textField } from '#contract/fields.ts'
import { ChannelDraft, ChannelRunProgress } from './channels.ts'

/** The endpoints that call a channel's provider: tests, balances and model lists. */
const role = 'admin'
const callingProvider = { role, cost: COST.providerCall } as const

const TestMeta = z.object({
  time: numberField('Duration of the test in seconds, also when it failed.', 0.812),
})

export const testChannel = endpoint({
  method: 'GET',
  path: '/api/channel/test/:id',
  ...callingProvider,
  audit: 'success',
  summary: 'Test a channel',
  description: 'Sends one small request through the channel. Nobody is charged.',
  params: IdParams,
  query: z.object({
    model: QueryText.meta({
      description: "Model to request. Empty: the channel's test model, or its first model.",
      example: 'gpt-4o-mini',
    }),
    stream: QueryFlag.meta({ description: 'Requests a stream and reads it to the end.', example: false }),
  }),
  meta: TestMeta,
})
export const testChannelByPost = byPost(testChannel)

/** A channel as the form has it. With `copy_from`, blank fields and the key are taken from that channel, if its destination stays. */
export const UnsavedChannel = ChannelDraft.extend({
  model: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default('').meta({
    description: "Model to request. Empty: the channel's test model, or its first model.",
    example: 'gpt-4o-mini',
  }),
  stream: z
    .boolean()
    .default(false)
    .meta({ description: 'Requests a stream and reads it to the end.', example: false }),
})
export type UnsavedChannel = z.infer<typeof UnsavedChannel>

export const testUnsavedChannel = endpoint({
  method: 'POST',
  path: '/api/channel/test/unsaved',
  ...callingProvider,
  summary: 'Test a channel before it is saved',
  description: 'Sends one small request and leaves a row in the management log. Stores nothing else.',
  body: UnsavedChannel,
  meta: TestMeta,
})

const ProbedUsage = z.object({
  prompt_tokens: numberField('Reported tokens in.', 2_041),
  cached_tokens: numberField('Of which cached, or beside them.', 1_920),
  completion_tokens: numberField('Reported tokens out.', 12),
  reasoning_tokens: numberField('Of which reasoning, or beside them.', 0),
})

/** Findings of the figures. A field is absent where they show nothing. */
const UsageFindings = z.object({
  cached_tokens: UsageCounting.optional().meta({
    description: 'Whether cached tokens are counted inside input.',
    example: 'included',
  }),
  reasoning_tokens: UsageCounting.optional().meta({
    description: 'Whether reasoning is counted inside output.',
    example: 'included',
  }),
  usage_multiplier: z.number().optional().meta({
    description: 'What the upstream multiplies its figures by.',
    example: 1,
  }),
})

export const UsageProbe = z
  .object({
    model: textField('Requested model.', 'gpt-4o-mini'),
    requests: z
      .array(ProbedUsage)
      .meta({ description: 'A short prompt, a long one, and the long one again.', example: [] }),
    findings: UsageFindings.meta({ description: 'What the figures show.', example: {} }),
  })
  .meta({ id: 'UsageProbe', description: 'How an upstream counts.' })
export type UsageProbe = z.infer<typeof UsageProbe>

export const probeUsage = endpoint({
  method: 'POST',
  path: '/api/channel/usage_probe/:id',
  ...callingProvider,
  summary: 'Find out how the upstream of a channel counts',
  description:
    'Sends three requests of up to 2,200 words through the channel. Nobody is charged, and nothing is changed.',
  params: IdParams,
  body: z.object({
    model: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default('').meta({
      description: "Model to request. Empty: the channel's test model, or its first model.",
      example: 'gpt-4o-mini',
    }),
  }),
  reply: UsageProbe,
})

export const testChannels = endpoint({
  method: 'GET',
  path: '/api/channel/test',
  ...callingProvider,
  audit: 'success',
  summary: 'Start testing all channels in the background',
  description: 'Skips channels that an administrator has disabled. Fails while another run is in progress.',
})
export const testChannelsByPost = byPost(testChannels)

export const getTestProgress = endpoint({
  method: 'GET',
  path: '/api/channel/test/progress',
  role,
  summary: 'Get the progress of testing all channels',
  reply: ChannelRunProgress,
})

export const updateFigures = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance/:id',
  ...callingProvider,
  audit: 'success',
  changes: RECORDS.channel,
  summary: 'Query the balance of a channel',
  description: 'Asks the provider and stores the balance.',
  params: IdParams,
  meta: z.object({
    balance: numberField("Balance in the provider's currency.", 18.4),
  }),
})
export const updateFiguresByPost = byPost(updateFigures)

export const updateBalances = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance',
  ...callingProvider,
  audit: 'success',
  summary: 'Start querying the balances of all enabled channels in the background',
  description: 'Fails while another run is in progress.',
})
export const updateBalancesByPost = byPost(updateBalances)

export const getBalanceProgress = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance/progress',
  role,
  summary: 'Get the progress of querying all balances',
  reply: ChannelRunProgress,
})

const ModelNames = z.array(z.string()).meta({
  description: 'Model names at the provider.',
  example: ['gpt-4o', 'gpt-4o-mini'],
})

export const fetchSavedModels = endpoint({
  method: 'GET',
  path: '/api/channel/fetch_models/:id',
  ...callingProvider,
  summary: "List the provider's models for a channel",
  params: IdParams,
  reply: ModelNames,
})

export const fetchUnsavedModels = endpoint({
  method: 'POST',
  path: '/api/channel/fetch_models',
  ...callingProvider,
  audit: 'none',
  summary: "List the provider's models for a key that is not saved yet",
  body: z.object({
    type: z.number().int().positive().meta({ description: 'Type number of the provider.', example: 1 }),
    key: z
      .string()
      .max(100_000)
      .meta({ format: 'password', description: 'API key; the first line is used.', example: 'sk-proj-…' }),
    base_url: z
      .string()
      .trim()
      .max(2000)
      .default('')
      .meta({ description: "Base URL. Empty: the provider's default.", example: '' }),
    other: z
      .string()
      .max(65_536)
      .default('')
      .meta({ description: 'Provider-specific value, such as an API version.', example: '' }),
  }),
  reply: ModelNames,
})

/** Beside the readings that it adds to. */
export const readBalance = endpoint({
  method: 'POST',
  path: '/api/reconciliation/readings/:id',
  ...callingProvider,
  summary: 'Read the balance of a channel',
  description: 'Asks the provider, stores the balance of the channel and adds a reading.',
  params: IdParams,
})
