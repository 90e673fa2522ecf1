import { z } from 'zod'
import { endpoint, IdParams, Ids, ListMeta, PagesFromZero, RowOutcome, SearchPages } from '../endpoint.ts'
import { localizedError, QueryFlag, QueryNumber, QueryText } from '../fields.ts'
import { Channel, ChannelChange, ChannelDraft, ChannelType, TagChange, TestProgress } from './channels.ts'

const role = 'admin'

const Filters = {
  /** Newest first instead of highest priority first. */
  id_sort: QueryFlag,
  /** A page is `page_size` tags with all their channels; channels without a tag are a group of their own, the last. */
  tag_mode: QueryFlag,
  /** 0 any; 1 enabled; 2 disabled; 3 disabled by the gateway. */
  status: QueryNumber,
  /** 0 any. */
  type: QueryNumber,
}

export const listChannels = endpoint({
  method: 'GET',
  path: '/api/channel/',
  role,
  summary: 'Channels; pages count from 0. In tag mode `total` counts tags',
  query: PagesFromZero.extend(Filters),
  reply: z.array(Channel),
  meta: ListMeta,
})

export const searchChannels = endpoint({
  method: 'GET',
  path: '/api/channel/search',
  role,
  summary: 'Channels by id, part of the name or whole key, and by model and group',
  query: SearchPages.extend(Filters).extend({ keyword: QueryText, group: QueryText, model: QueryText }),
  reply: z.array(Channel),
  meta: ListMeta,
})

export const getChannel = endpoint({
  method: 'GET',
  path: '/api/channel/:id',
  role,
  summary: 'One channel',
  params: IdParams,
  reply: Channel,
})

export const ChannelOutcomes = z.object({ id: z.number(), succeeded: z.number(), failed: z.number() })

export const listChannelOutcomes = endpoint({
  method: 'GET',
  path: '/api/channel/outcomes',
  role,
  summary:
    'How many requests of the last 24 hours each channel answered and failed; channels without any are absent',
  reply: z.array(ChannelOutcomes),
})

export const createChannels = endpoint({
  method: 'POST',
  path: '/api/channel/',
  role,
  summary: 'Makes channels, one for each line of the key, or copies one',
  body: ChannelDraft,
  reply: z.array(Channel),
})

export const updateChannel = endpoint({
  method: 'PUT',
  path: '/api/channel/',
  role,
  summary: 'Changes the fields that are sent',
  body: ChannelChange,
  reply: Channel,
})

export const deleteChannel = endpoint({
  method: 'DELETE',
  path: '/api/channel/:id',
  role,
  summary: 'Deletes a channel',
  params: IdParams,
})

export const deleteDisabledChannels = endpoint({
  method: 'DELETE',
  path: '/api/channel/disabled',
  role,
  summary: 'Deletes all channels that are not enabled and answers how many',
  reply: z.number(),
})

export const deleteChannels = endpoint({
  method: 'POST',
  path: '/api/channel/batch',
  role,
  summary: 'Deletes the named channels and answers how many there were',
  body: z.object({ ids: Ids }),
  reply: z.number(),
})

export const tagChannels = endpoint({
  method: 'POST',
  path: '/api/channel/batch/tag',
  role,
  summary: 'Gives the named channels a tag (none: takes it away) and answers how many there were',
  body: z.object({ ids: Ids, tag: z.string().trim().max(100).default('') }),
  reply: z.number(),
})

export const fixChannels = endpoint({
  method: 'POST',
  path: '/api/channel/fix',
  role,
  summary: 'Rebuilds what is derived from the channels and answers how many rows were wrong',
  reply: z.number(),
})

const TagOnly = z.object({ tag: z.string().trim().min(1) })

export const enableTag = endpoint({
  method: 'POST',
  path: '/api/channel/tag/enabled',
  role,
  summary: 'Enables all channels of a tag',
  body: TagOnly,
})

export const disableTag = endpoint({
  method: 'POST',
  path: '/api/channel/tag/disabled',
  role,
  summary: 'Disables all channels of a tag',
  body: TagOnly,
})

export const updateTag = endpoint({
  method: 'PUT',
  path: '/api/channel/tag',
  role,
  summary: 'Changes all channels of a tag and answers how many there were',
  body: TagChange,
  reply: z.number(),
})

/** Seconds, also after a failure. */
export const TestTime = z.object({ time: z.number() })

export const testChannel = endpoint({
  method: 'GET',
  path: '/api/channel/test/:id',
  role,
  summary: 'Sends one small request through the channel',
  params: IdParams,
  query: z.object({ model: QueryText, /** Asks for a stream and reads it to its end. */ stream: QueryFlag }),
  meta: TestTime,
})

export const testChannels = endpoint({
  method: 'GET',
  path: '/api/channel/test',
  role,
  summary:
    'Starts testing all channels that no administrator has disabled in the background, one run at a time',
})

export const getTestProgress = endpoint({
  method: 'GET',
  path: '/api/channel/test/progress',
  role,
  summary: 'How far the test of all channels is',
  reply: TestProgress,
})

export const updateChannelBalance = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance/:id',
  role,
  summary: 'Asks the vendor what is left on one channel and stores it',
  params: IdParams,
  meta: z.object({ /** In the vendor's currency. */ balance: z.number() }),
})

export const updateChannelBalances = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance',
  role,
  summary: 'Starts asking for the balances of all enabled channels in the background, one run at a time',
})

export const getBalanceProgress = endpoint({
  method: 'GET',
  path: '/api/channel/update_balance/progress',
  role,
  summary: 'How far updating the balances is',
  reply: TestProgress,
})

export const fetchSavedModels = endpoint({
  method: 'GET',
  path: '/api/channel/fetch_models/:id',
  role,
  summary: 'Asks the vendor which models this channel has',
  params: IdParams,
  reply: z.array(z.string()),
})

export const fetchUnsavedModels = endpoint({
  method: 'POST',
  path: '/api/channel/fetch_models',
  role,
  summary: 'Asks the vendor which models a key has, before the channel is saved',
  body: z.object({
    type: z.number().int().positive(),
    key: z.string().max(100_000),
    base_url: z.string().trim().max(2000).default(''),
    other: z.string().max(65_536).default(''),
  }),
  reply: z.array(z.string()),
})

export const listChannelModels = endpoint({
  method: 'GET',
  path: '/api/channel/models',
  role,
  summary: 'All known model names, without repeats',
  reply: z.array(
    z.object({ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() }),
  ),
})

export const listEnabledModels = endpoint({
  method: 'GET',
  path: '/api/channel/models_enabled',
  role,
  summary: 'Names of the models that some enabled channel serves',
  reply: z.array(z.string()),
})

export const listChannelTags = endpoint({
  method: 'GET',
  path: '/api/channel/tags',
  role,
  summary: 'Tags in use',
  reply: z.array(z.string()),
})

export const listChannelTypes = endpoint({
  method: 'GET',
  path: '/api/channel/types',
  role,
  summary: 'Vendors that this gateway speaks to, for the channel form',
  reply: z.array(ChannelType),
})

const Change = ChannelChange.pick({
  status: true,
  group: true,
  groups: true,
  tag: true,
  priority: true,
  weight: true,
  auto_ban: true,
})

export const updateChannelsBatch = endpoint({
  method: 'PUT',
  path: '/api/channel/batch',
  role: 'admin',
  summary: 'Changes the same fields of the named channels; each row is told of',
  body: Change.extend({ ids: Ids }).refine(
    ({ ids: _, ...change }) => Object.keys(change).length > 0,
    localizedError('没有任何修改！', 'there is nothing to change'),
  ),
  reply: z.array(RowOutcome),
})
