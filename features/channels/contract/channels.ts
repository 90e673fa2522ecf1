import { z } from 'zod'
import { ChannelFields, WEIGHT_MAX } from '#contract/entities/channels/channel-fields.ts'
import { changesOf, viewOf } from '#contract/entities/stored.ts'
import { flagField, numberField, textField } from '#contract/fields.ts'

export const CHANNELS_AT_ONCE_MAX = 1000
const KEY_LENGTH_MAX = 1_000_000

export const Channel = z
  .object({
    id: numberField('Channel id.', 12),
    ...viewOf(ChannelFields),
    key: textField('Always empty: keys are never returned.', ''),
    status: numberField(
      '1: enabled, 2: disabled, 3: disabled automatically (`other_info` tells why and when).',
      1,
    ),
    groups: z
      .array(z.string())
      .meta({ description: 'The same groups as an array.', example: ['default', 'vip'] }),
    other_info: textField(
      'JSON object with `status_reason` and `status_time` (Unix seconds) after an automatic status change or remark, `needs_review` when only an administrator may enable the channel, `is_below_cost` for a remark about prices, `is_unusable` when its settings keep it out of routing, and `is_incomplete` when entries of its lists do not count.',
      '',
    ),
    response_time: numberField('Duration of the last test in milliseconds; 0: never tested.', 812),
    test_time: numberField('Unix seconds of the last test; 0: never.', 1_760_000_000),
    created_time: numberField('Unix seconds of the creation.', 1_750_000_000),
    balance: numberField("Last known balance at the provider, in the provider's currency.", 18.4),
    balance_updated_time: numberField('Unix seconds of that balance; 0: never queried.', 1_760_000_000),
    used_quota: numberField('Quota units charged through it.', 310_000),
    stopped_models: z
      .array(
        z.object({
          model: textField('Model.', 'gpt-4o'),
          reason: textField(
            'Why it was stopped.',
            'gpt-4o was sold below cost 20 times in a row, for a loss of $0.012000',
          ),
          stopped_at: numberField('Unix seconds of the stop.', 1_760_000_000),
        }),
      )
      .meta({
        description:
          'Models that the gateway took out of routing on this channel, until they are allowed again.',
      }),
  })
  .meta({ id: 'Channel', description: 'A connection to one provider account.' })
export type Channel = z.infer<typeof Channel>

const changes = changesOf(ChannelFields)

const fields = {
  ...changes,
  key: z.string().max(KEY_LENGTH_MAX).optional().meta({
    format: 'password',
    description:
      'API key at the provider, one per line, or one JSON document where the provider requires it.',
    example: 'sk-proj-…',
  }),
  groups: z
    .array(z.string())
    .max(200)
    .optional()
    .meta({ description: 'The same as an array. Read only when `group` is absent.', example: ['default'] }),
} as const

/**
 * One channel is created for each line of `key`, or a single one when the provider's key is a JSON document or the
 * setting says `several_keys`.
 */
export const ChannelDraft = z.object({
  ...fields,
  copy_from: z.number().int().positive().optional().meta({
    description:
      'Id of a channel to copy: absent fields, and a blank key, are taken from it. Another destination (provider, origin or proxy) needs the key.',
    example: 12,
  }),
})
export type ChannelDraft = z.infer<typeof ChannelDraft>

/** Absent fields stay unchanged, and so does a blank key, which needs the same destination as before. */
export const ChannelChange = z.object({
  ...fields,
  id: z.number().int().positive().meta({ description: 'Channel id.', example: 12 }),
  status: z
    .union([z.literal(1), z.literal(2), z.literal(3)])
    .optional()
    .meta({
      description: '1: enable, 2: disable. 3 (disabled automatically) is accepted and changes nothing.',
      example: 1,
    }),
})
export type ChannelChange = z.infer<typeof ChannelChange>

export const TagChange = z.object({
  tag: z.string().trim().min(1).meta({ description: 'The tag whose channels are changed.', example: 'main' }),
  new_tag: changes.tag.meta({
    description: 'New tag. Empty: removes the tag from the channels.',
    example: 'backup',
  }),
  priority: changes.priority,
  weight: z.number().int().min(0).max(WEIGHT_MAX).optional().meta({
    description: 'Share of the requests among channels of the same priority.',
    example: 10,
  }),
  model_mapping: changes.model_mapping.meta({
    description: 'JSON object that maps requested to upstream model names. Empty: unchanged.',
    example: '{"gpt-4":"gpt-4o"}',
  }),
  models: changes.models.meta({
    description: 'Model names, as comma-separated text or as an array. Empty: unchanged.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  groups: changes.group.meta({
    description: 'Groups, as comma-separated text or as an array. Empty: unchanged.',
    example: 'default,vip',
  }),
})
export type TagChange = z.infer<typeof TagChange>

const BothTexts = z.object({
  zh: textField('Chinese text.', '部署名称'),
  en: textField('English text.', 'Deployment'),
})

export const ChannelType = z
  .object({
    type: numberField('Type number of the provider.', 1),
    name: textField('English name.', 'OpenAI'),
    name_zh: textField('Chinese name.', 'OpenAI'),
    popularity: z.enum(['popular', 'common', 'discontinued']).meta({
      description:
        'Where lists of providers show it: among the first, in the middle, or last because the provider closed it.',
      example: 'popular',
    }),
    base_url: textField('Default base URL; empty for none.', 'https://api.openai.com'),
    key_hint: textField('Format of the key; empty for none.', 'sk-…'),
    key_pattern: textField('Pattern of keys that only it issues.', '^ab-'),
    models: z.array(z.string()).meta({ description: 'Default model names.', example: ['gpt-4o'] }),
    operations: z.array(z.string()).meta({
      description: 'Supported operations, among `chat` and `embeddings`.',
      example: ['chat', 'embeddings'],
    }),
    can_list_models: flagField('Whether it can list its models.', true),
    can_query_balance: flagField('Whether it can report a balance.', false),
    form: z
      .object({
        notice: BothTexts.optional().meta({ description: 'A hint at the top of the form.' }),
        base_url: z.enum(['required', 'hidden', 'optional']).meta({
          description: 'Whether the form asks for a base URL.',
          example: 'optional',
        }),
        base_url_label: BothTexts.optional().meta({ description: 'Label of the base URL, if it differs.' }),
        key: z.enum(['text', 'json']).meta({
          description: '`text`: one key per line. `json`: one JSON document.',
          example: 'text',
        }),
        other: z
          .object({
            label: BothTexts.meta({ description: 'Label.' }),
            placeholder: z.string().optional().meta({ description: 'Placeholder.', example: '2024-10-21' }),
            default_value: z.string().optional().meta({ description: 'Default value.', example: '' }),
            is_required: flagField('Whether it must be filled in.', true),
          })
          .optional()
          .meta({ description: 'How the form asks for `other`; absent: it does not.' }),
        has_organization: flagField('Whether the form asks for an organization.', true),
      })
      .meta({ description: 'What the channel form shows for the provider.' }),
  })
  .meta({ id: 'ChannelType', description: 'A provider that channels can connect to.' })
export type ChannelType = z.infer<typeof ChannelType>

export const ChannelRunProgress = z
  .object({
    is_running: flagField('Whether a run is in progress.', false),
    total: numberField('Channels in the run.', 20),
    done: numberField('Channels finished.', 20),
    succeeded: numberField('Channels that succeeded.', 18),
    failed: numberField('Channels that failed.', 2),
    disabled: numberField('Channels that were disabled by the run.', 1),
    enabled: numberField('Channels that were enabled by the run.', 0),
    started_at: numberField('Unix seconds; 0: never started.', 1_760_000_000),
    finished_at: numberField('Unix seconds; 0: not finished.', 1_760_000_060),
  })
  .meta({ id: 'ChannelRunProgress', description: 'Progress of a background run over channels.' })
export type ChannelRunProgress = z.infer<typeof ChannelRunProgress>
