import { z } from 'zod'
import { CommaList, FlagNumber, FreeText, jsonTextOf, localizedError, ModelList } from '../../fields.ts'
import { ChannelSettingText } from './channel-setting.ts'

export const CHANNEL_NAME_LENGTH_MAX = 100
export const CHANNELS_AT_ONCE_MAX = 1000
const KEY_LENGTH_MAX = 1_000_000
const WEIGHT_MAX = 1_000_000
const PRIORITY_MAX = 1_000_000_000
const STATUS_CODE = /^[1-5]\d\d$/

export const Channel = z
  .object({
    id: z.number().meta({ description: 'Channel id.', example: 12 }),
    type: z.number().meta({ description: 'Provider, as listed by `/api/channel/types`.', example: 1 }),
    key: z.string().meta({ description: 'Always empty: keys are never returned.', example: '' }),
    name: z.string().meta({ description: 'Name.', example: 'OpenAI main' }),
    status: z.number().meta({
      description: '1: enabled, 2: disabled, 3: disabled automatically (`other_info` tells why and when).',
      example: 1,
    }),
    openai_organization: z
      .string()
      .meta({ description: 'OpenAI organization id; empty for none.', example: '' }),
    test_model: z
      .string()
      .meta({ description: 'Model used for tests. Empty: the first model.', example: 'gpt-4o-mini' }),
    base_url: z.string().meta({
      description: "Base URL without a trailing slash. Empty: the provider's default.",
      example: 'https://api.openai.com',
    }),
    other: z.string().meta({ description: 'Provider-specific value, such as an API version.', example: '' }),
    models: z.string().meta({ description: 'Comma-separated model names.', example: 'gpt-4o,gpt-4o-mini' }),
    group: z
      .string()
      .meta({ description: 'Comma-separated groups that may use it.', example: 'default,vip' }),
    groups: z
      .array(z.string())
      .meta({ description: 'The same groups as an array.', example: ['default', 'vip'] }),
    model_mapping: z.string().meta({
      description: 'JSON object that maps requested to upstream model names; empty for none.',
      example: '{"gpt-4":"gpt-4o"}',
    }),
    status_code_mapping: z.string().meta({
      description: 'JSON object that maps upstream to returned HTTP statuses; empty for none.',
      example: '{"404":"503"}',
    }),
    setting: z.string().meta({
      description:
        'JSON object with further settings, such as `proxy` and `max_concurrency`; empty for none.',
      example: '{"proxy":"socks5://127.0.0.1:1080"}',
    }),
    param_override: z.string().meta({
      description: 'JSON object that is merged into each request body; empty for none.',
      example: '{"temperature":0}',
    }),
    other_info: z.string().meta({
      description:
        'JSON object with `status_reason` and `status_time` (Unix seconds) after an automatic status change or remark, `needs_review` when only an administrator may enable the channel, and `is_below_cost` for a remark about prices.',
      example: '',
    }),
    tag: z
      .string()
      .meta({ description: 'Tag to manage channels together; empty for none.', example: 'main' }),
    priority: z
      .number()
      .meta({ description: 'Channels of the highest priority are tried first.', example: 0 }),
    weight: z.number().meta({
      description: 'Share of the requests among channels of the same priority.',
      example: 10,
    }),
    auto_ban: z.number().meta({ description: '1: may be disabled automatically, 0: may not.', example: 1 }),
    max_input_tokens: z
      .number()
      .meta({ description: 'Longer inputs skip the channel. 0: no limit.', example: 0 }),
    response_time: z.number().meta({
      description: 'Duration of the last test in milliseconds; 0: never tested.',
      example: 812,
    }),
    test_time: z
      .number()
      .meta({ description: 'Unix seconds of the last test; 0: never.', example: 1_760_000_000 }),
    created_time: z.number().meta({ description: 'Unix seconds of the creation.', example: 1_750_000_000 }),
    balance: z.number().meta({
      description: "Last known balance at the provider, in the provider's currency.",
      example: 18.4,
    }),
    balance_updated_time: z
      .number()
      .meta({ description: 'Unix seconds of that balance; 0: never queried.', example: 1_760_000_000 }),
    used_quota: z.number().meta({ description: 'Quota units charged through it.', example: 310_000 }),
    stopped_models: z
      .array(
        z.object({
          model: z.string().meta({ description: 'Model.', example: 'gpt-4o' }),
          reason: z.string().meta({
            description: 'Why it was stopped.',
            example: 'gpt-4o was sold below cost 20 times in a row, for a loss of $0.012000',
          }),
          stopped_at: z.number().meta({ description: 'Unix seconds of the stop.', example: 1_760_000_000 }),
        }),
      )
      .meta({
        description:
          'Models that the gateway took out of routing on this channel, until they are allowed again.',
      }),
  })
  .meta({ id: 'Channel', description: 'A connection to one provider account.' })
export type Channel = z.infer<typeof Channel>

const ModelMapping = jsonTextOf(z.record(z.string(), z.string().min(1)))
const StatusCodeMapping = jsonTextOf(
  z.record(
    z.string().regex(STATUS_CODE),
    z
      .union([z.string(), z.number()])
      .refine(
        code => STATUS_CODE.test(String(code)),
        localizedError('状态码应为 100 到 599', 'a status is 100 to 599'),
      ),
  ),
)
const BaseUrl = z
  .string()
  .trim()
  .max(2000)
  .transform(url => url.replace(/\/+$/, ''))
  .refine(
    url => url === '' || URL.canParse(url),
    localizedError('渠道地址不是合法的 URL', 'the base URL is not an address'),
  )
  .refine(
    // A placeholder in the host would let whoever edits the models choose where the key goes.
    url => !URL.canParse(url) || !new URL(url).host.includes('{'),
    localizedError('渠道地址的主机名不能包含变量', 'the host of the base URL cannot contain a placeholder'),
  )

const fields = {
  type: z
    .number()
    .int()
    .positive()
    .meta({ description: 'Provider, as listed by `/api/channel/types`.', example: 1 }),
  name: z.string().trim().max(CHANNEL_NAME_LENGTH_MAX).meta({ description: 'Name.', example: 'OpenAI main' }),
  key: z.string().max(KEY_LENGTH_MAX).meta({
    description:
      'API key at the provider, one per line, or one JSON document where the provider requires it.',
    example: 'sk-proj-…',
  }),
  openai_organization: z
    .string()
    .trim()
    .max(200)
    .meta({ description: 'OpenAI organization id; empty for none.', example: '' }),
  test_model: z
    .string()
    .trim()
    .max(255)
    .meta({ description: 'Model used for tests. Empty: the first model.', example: 'gpt-4o-mini' }),
  base_url: BaseUrl.meta({
    description: "Base URL; trailing slashes are removed. Empty: the provider's default.",
    example: 'https://api.openai.com',
  }),
  other: FreeText.meta({
    description: 'Provider-specific value, such as an API version.',
    example: '2024-10-21',
  }),
  models: ModelList.meta({
    description: 'Model names, as comma-separated text or as an array.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  group: CommaList.meta({
    description: 'Groups that may use the channel, as comma-separated text or as an array.',
    example: 'default,vip',
  }),
  groups: z
    .array(z.string())
    .max(200)
    .meta({ description: 'The same as an array. Read only when `group` is absent.', example: ['default'] }),
  model_mapping: ModelMapping.meta({
    description: 'JSON object that maps requested to upstream model names. Empty: none.',
    example: '{"gpt-4":"gpt-4o"}',
  }),
  status_code_mapping: StatusCodeMapping.meta({
    description: 'JSON object that maps upstream to returned HTTP statuses. Empty: none.',
    example: '{"404":"503"}',
  }),
  setting: ChannelSettingText.meta({
    description:
      'JSON object with `force_format`, `thinking_to_content`, `proxy`, `several_keys`, `max_concurrency`, `requests_per_minute`, `region`, `service_tier`, `server_tools`, `cached_tokens`, `reasoning_tokens`, `usage_multiplier`, `purchase_factor` and `purchase_prices`. Empty: none.',
    example: '{"max_concurrency":20}',
  }),
  param_override: jsonTextOf(z.record(z.string(), z.unknown())).meta({
    description: 'JSON object that is merged into each request body. Empty: none.',
    example: '{"temperature":0}',
  }),
  tag: z
    .string()
    .trim()
    .max(100)
    .meta({ description: 'Tag to manage channels together. Empty: none.', example: 'main' }),
  priority: z
    .number()
    .int()
    .min(-PRIORITY_MAX)
    .max(PRIORITY_MAX)
    .meta({ description: 'Channels of the highest priority are tried first.', example: 0 }),
  weight: z
    .number()
    .int()
    .max(WEIGHT_MAX)
    .transform(weight => Math.max(weight, 0))
    .meta({
      description: 'Share of the requests among channels of the same priority. Negative values become 0.',
      example: 10,
    }),
  auto_ban: FlagNumber.meta({
    description: 'Whether the channel may be disabled automatically.',
    example: 1,
  }),
  max_input_tokens: z.number().int().min(0).max(100_000_000).meta({
    description: 'Requests with a longer estimated input skip the channel. 0: no limit.',
    example: 0,
  }),
} as const

/**
 * One channel is created for each line of `key`, or a single one when the provider's key is a JSON document or the
 * setting says `several_keys`.
 */
export const ChannelDraft = z
  .object(fields)
  .partial()
  .extend({
    copy_from: z.number().int().positive().optional().meta({
      description:
        'Id of a channel to copy: absent fields, and a blank key, are taken from it. Another destination (provider, origin or proxy) needs the key.',
      example: 12,
    }),
  })
export type ChannelDraft = z.infer<typeof ChannelDraft>

/** Absent fields stay unchanged, and so does a blank key, which needs the same destination as before. */
export const ChannelChange = z
  .object(fields)
  .partial()
  .extend({
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
  new_tag: fields.tag
    .optional()
    .meta({ description: 'New tag. Empty: removes the tag from the channels.', example: 'backup' }),
  priority: fields.priority.optional(),
  weight: z.number().int().min(0).max(WEIGHT_MAX).optional().meta({
    description: 'Share of the requests among channels of the same priority.',
    example: 10,
  }),
  model_mapping: ModelMapping.optional().meta({
    description: 'JSON object that maps requested to upstream model names. Empty: unchanged.',
    example: '{"gpt-4":"gpt-4o"}',
  }),
  models: ModelList.optional().meta({
    description: 'Model names, as comma-separated text or as an array. Empty: unchanged.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  groups: CommaList.optional().meta({
    description: 'Groups, as comma-separated text or as an array. Empty: unchanged.',
    example: 'default,vip',
  }),
})
export type TagChange = z.infer<typeof TagChange>

const BothTexts = z.object({
  zh: z.string().meta({ description: 'Chinese text.', example: '部署名称' }),
  en: z.string().meta({ description: 'English text.', example: 'Deployment' }),
})

export const ChannelType = z
  .object({
    type: z.number().meta({ description: 'Type number of the provider.', example: 1 }),
    name: z.string().meta({ description: 'English name.', example: 'OpenAI' }),
    name_zh: z.string().meta({ description: 'Chinese name.', example: 'OpenAI' }),
    popularity: z.enum(['popular', 'common', 'discontinued']).meta({
      description:
        'Where lists of providers show it: among the first, in the middle, or last because the provider closed it.',
      example: 'popular',
    }),
    base_url: z
      .string()
      .meta({ description: 'Default base URL; empty for none.', example: 'https://api.openai.com' }),
    key_hint: z.string().meta({ description: 'Format of the key; empty for none.', example: 'sk-…' }),
    models: z.array(z.string()).meta({ description: 'Default model names.', example: ['gpt-4o'] }),
    operations: z.array(z.string()).meta({
      description: 'Supported operations, among `chat` and `embeddings`.',
      example: ['chat', 'embeddings'],
    }),
    can_list_models: z.boolean().meta({ description: 'Whether it can list its models.', example: true }),
    can_query_balance: z.boolean().meta({ description: 'Whether it can report a balance.', example: false }),
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
            is_required: z.boolean().meta({ description: 'Whether it must be filled in.', example: true }),
          })
          .optional()
          .meta({ description: 'How the form asks for `other`; absent: it does not.' }),
        has_organization: z
          .boolean()
          .meta({ description: 'Whether the form asks for an organization.', example: true }),
      })
      .meta({ description: 'What the channel form shows for the provider.' }),
  })
  .meta({ id: 'ChannelType', description: 'A provider that channels can connect to.' })
export type ChannelType = z.infer<typeof ChannelType>

export const ChannelRunProgress = z
  .object({
    is_running: z.boolean().meta({ description: 'Whether a run is in progress.', example: false }),
    total: z.number().meta({ description: 'Channels in the run.', example: 20 }),
    done: z.number().meta({ description: 'Channels finished.', example: 20 }),
    succeeded: z.number().meta({ description: 'Channels that succeeded.', example: 18 }),
    failed: z.number().meta({ description: 'Channels that failed.', example: 2 }),
    disabled: z.number().meta({ description: 'Channels that were disabled by the run.', example: 1 }),
    enabled: z.number().meta({ description: 'Channels that were enabled by the run.', example: 0 }),
    started_at: z.number().meta({ description: 'Unix seconds; 0: never started.', example: 1_760_000_000 }),
    finished_at: z.number().meta({ description: 'Unix seconds; 0: not finished.', example: 1_760_000_060 }),
  })
  .meta({ id: 'ChannelRunProgress', description: 'Progress of a background run over channels.' })
export type ChannelRunProgress = z.infer<typeof ChannelRunProgress>
