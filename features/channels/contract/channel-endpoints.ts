import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import {
  COST,
  endpoint,
  IdParams,
  Ids,
  ListMeta,
  PagesFromZero,
  RowOutcome,
  SearchPages,
} from '#contract/endpoint.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import {
  localizedError,
  MODEL_NAME_LENGTH_MAX,
  numberField,
  QueryFlag,
  QueryNumber,
  QueryText,
  textField,
} from '#contract/fields.ts'
import { Channel, ChannelChange, ChannelDraft, ChannelType, TagChange } from './channels.ts'

const role = 'admin'
const reading = { method: 'GET', role } as const
const changing = { role, changes: RECORDS.channel } as const
const byTag = ({ body }: { readonly body: { readonly tag: string } }) => ({ tag: [body.tag] })
const changingTag = { ...changing, changedRows: byTag } as const
const STOPPED_MODELS_MAX = 1000

const Filters = {
  id_sort: QueryFlag.meta({
    description: 'Sort by id, newest first, instead of by priority.',
    example: true,
  }),
  tag_mode: QueryFlag.meta({
    description:
      'Page by tags: a page is `page_size` tags with all their channels. Channels without a tag form the last group.',
    example: false,
  }),
  status: QueryNumber.meta({
    description: '1: enabled, 2: disabled, 3: disabled automatically. 0: any.',
    example: 0,
  }),
  type: QueryNumber.meta({ description: 'Type number of the provider. 0: any.', example: 0 }),
}

export const listChannels = endpoint({
  ...reading,
  path: '/api/channel/',
  summary: 'List channels',
  description: 'In tag mode, `total` is the number of tags.',
  query: PagesFromZero.extend(Filters),
  reply: z.array(Channel),
  meta: ListMeta,
})

export const searchChannels = endpoint({
  ...reading,
  path: '/api/channel/search',
  cost: COST.search,
  summary: 'Search channels',
  query: SearchPages.extend(Filters).extend({
    keyword: QueryText.meta({
      description: 'Channel id, part of the name, or the complete key.',
      example: 'main',
    }),
    group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
    model: QueryText.meta({ description: 'Part of a model name. Empty: any.', example: 'gpt-4o' }),
  }),
  reply: z.array(Channel),
  meta: ListMeta,
})

export const getChannel = endpoint({
  ...reading,
  path: '/api/channel/:id',
  summary: 'Get a channel',
  params: IdParams,
  reply: Channel,
})

export const createChannels = endpoint({
  method: 'POST',
  path: '/api/channel/',
  ...changing,
  summary: 'Create channels',
  description:
    'Creates one channel for each line of `key`. With `copy_from`, absent fields are copied from that channel.',
  body: ChannelDraft,
  reply: z.array(Channel),
})

export const updateChannel = endpoint({
  method: 'PUT',
  path: '/api/channel/',
  ...changing,
  summary: 'Update a channel',
  description:
    'Absent fields, and a blank key, stay unchanged. Another destination (provider, origin of the base URL, or proxy) needs the key again, and leaves a row in the management log.',
  body: ChannelChange,
  reply: Channel,
})

export const allowModels = endpoint({
  method: 'POST',
  path: '/api/channel/:id/allowed_models',
  ...changing,
  summary: 'Allow stopped models again',
  description:
    'Routes requests for these models to the channel again, after they were stopped for selling below cost. Leaves a row in the management log.',
  params: IdParams,
  body: z.object({
    models: z
      .array(z.string().max(MODEL_NAME_LENGTH_MAX))
      .min(1)
      .max(STOPPED_MODELS_MAX)
      .meta({
        description: 'Models of `stopped_models`.',
        example: ['gpt-4o'],
      }),
  }),
  reply: Channel,
})

export const BatchChange = ChannelChange.pick({
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
  ...changing,
  summary: 'Update several channels',
  description: 'Applies the same fields to each channel and reports the result of each.',
  body: BatchChange.extend({ ids: Ids }).refine(
    ({ ids: _, ...change }) => Object.keys(change).length > 0,
    localizedError('没有任何修改！', 'there is nothing to change'),
  ),
  reply: z.array(RowOutcome),
})

export const deleteChannel = endpoint({
  method: 'DELETE',
  path: '/api/channel/:id',
  ...changing,
  summary: 'Delete a channel',
  params: IdParams,
})

const count = (description: string) => numberField(description, 2)

export const deleteDisabledChannels = endpoint({
  method: 'DELETE',
  path: '/api/channel/disabled',
  ...changing,
  changedRows: () => ({ status: [CHANNEL_STATUS.disabled, CHANNEL_STATUS.autoDisabled] }),
  summary: 'Delete all channels that are not enabled',
  reply: count('Number of deleted channels.'),
})

export const deleteChannels = endpoint({
  method: 'POST',
  path: '/api/channel/batch',
  ...changing,
  summary: 'Delete several channels',
  body: z.object({ ids: Ids }),
  reply: count('Number of deleted channels.'),
})

const TagText = z.string().trim()

export const tagChannels = endpoint({
  method: 'POST',
  path: '/api/channel/batch/tag',
  ...changing,
  summary: 'Set the tag of several channels',
  body: z.object({
    ids: Ids,
    tag: TagText.max(100)
      .refine(tag => tag !== '', localizedError('标签不能为空！', 'a tag is needed'))
      .meta({ description: 'Tag.', example: 'main' }),
  }),
  reply: count('Number of changed channels.'),
})

export const fixChannels = endpoint({
  method: 'POST',
  path: '/api/channel/fix',
  role,
  summary: 'Rebuild the routing table from the channels',
  reply: count('Number of rows that were wrong.'),
})

const TagOnly = z.object({
  tag: TagText.min(1).meta({ description: 'The tag.', example: 'main' }),
})

export const enableTag = endpoint({
  method: 'POST',
  path: '/api/channel/tag/enabled',
  ...changingTag,
  summary: 'Enable all channels of a tag',
  body: TagOnly,
})

export const disableTag = endpoint({
  method: 'POST',
  path: '/api/channel/tag/disabled',
  ...changingTag,
  summary: 'Disable all channels of a tag',
  body: TagOnly,
})

export const updateTag = endpoint({
  method: 'PUT',
  path: '/api/channel/tag',
  ...changingTag,
  summary: 'Update all channels of a tag',
  body: TagChange,
  reply: count('Number of channels of the tag.'),
})

export const listChannelModels = endpoint({
  ...reading,
  path: '/api/channel/models',
  summary: 'List the default models of all providers',
  reply: z.array(
    z.object({
      id: textField('Model name.', 'gpt-4o'),
      object: z.literal('model').meta({ description: 'Always `model`.' }),
      created: numberField('A constant, in Unix seconds.', 1_626_777_600),
      owned_by: textField('The provider.', 'openai'),
    }),
  ),
})

export const listEnabledModels = endpoint({
  ...reading,
  path: '/api/channel/models_enabled',
  summary: 'List the models that enabled channels serve',
  reply: z.array(z.string()).meta({ description: 'Model names.', example: ['gpt-4o'] }),
})

export const listChannelTags = endpoint({
  ...reading,
  path: '/api/channel/tags',
  summary: 'List the tags in use',
  reply: z.array(z.string()).meta({ description: 'Tags.', example: ['main'] }),
})

export const listChannelTypes = endpoint({
  ...reading,
  path: '/api/channel/types',
  summary: 'List the supported providers',
  reply: z.array(ChannelType),
})

export const listChannelTypeNames = endpoint({
  ...reading,
  path: '/api/channel/type_names',
  summary: 'List the names of the supported providers',
  description: 'What a list of channels needs of them, a fifth of the size.',
  reply: z.array(
    z.object({
      type: ChannelType.shape.type,
      name: textField("Name in the caller's language.", 'OpenAI'),
      can_query_balance: ChannelType.shape.can_query_balance,
    }),
  ),
})
