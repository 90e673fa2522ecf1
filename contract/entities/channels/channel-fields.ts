import { z } from 'zod'
import { CommaList, FlagNumber, FreeText, jsonTextOf, localizedError, ModelList } from '../../fields.ts'
import { ChannelSettingText } from './channel-setting.ts'

export const CHANNEL_NAME_LENGTH_MAX = 100
export const WEIGHT_MAX = 1_000_000
const PRIORITY_MAX = 1_000_000_000
const STATUS_CODE = /^[1-5]\d\d$/

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
  .overwrite(url => url.replace(/\/+$/, ''))
  .refine(
    url => url === '' || URL.canParse(url),
    localizedError('渠道地址不是合法的 URL', 'the base URL is not an address'),
  )
  .refine(
    // A placeholder in the host would let whoever edits the models choose where the key goes.
    url => !URL.canParse(url) || !new URL(url).host.includes('{'),
    localizedError('渠道地址的主机名不能包含变量', 'the host of the base URL cannot contain a placeholder'),
  )

/** What an administrator sets of a channel, besides its key. */
export const ChannelFields = z.object({
  type: z
    .number()
    .int()
    .positive()
    .meta({ description: 'Provider, as listed by `/api/channel/types`.', example: 1 }),
  name: z.string().trim().max(CHANNEL_NAME_LENGTH_MAX).meta({ description: 'Name.', example: 'OpenAI main' }),
  openai_organization: z
    .string()
    .trim()
    .max(200)
    .default('')
    .meta({ description: 'OpenAI organization id; empty for none.', example: '' }),
  test_model: z
    .string()
    .trim()
    .max(255)
    .default('')
    .meta({ description: 'Model used for tests. Empty: the first model.', example: 'gpt-4o-mini' }),
  base_url: BaseUrl.default('').meta({
    description: "Base URL; trailing slashes are removed. Empty: the provider's default.",
    example: 'https://api.openai.com',
  }),
  other: FreeText.default('').meta({
    description: 'Provider-specific value, such as an API version.',
    example: '2024-10-21',
  }),
  models: ModelList.meta({
    description: 'Comma-separated model names. A request may send them as an array.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  group: CommaList.default('default').meta({
    description: 'Comma-separated groups that may use the channel. A request may send them as an array.',
    example: 'default,vip',
  }),
  model_mapping: ModelMapping.default('').meta({
    description: 'JSON object that maps requested to upstream model names. Empty: none.',
    example: '{"gpt-4":"gpt-4o"}',
  }),
  status_code_mapping: StatusCodeMapping.default('').meta({
    description: 'JSON object that maps upstream to returned HTTP statuses. Empty: none.',
    example: '{"404":"503"}',
  }),
  setting: ChannelSettingText.default('').meta({
    description:
      'JSON object with `force_format`, `thinking_to_content`, `proxy`, `several_keys`, `max_concurrency`, `requests_per_minute`, `keep_alive_seconds`, `region`, `service_tier`, `server_tools`, `cached_tokens`, `reasoning_tokens`, `usage_multiplier`, `purchase_factor` and `purchase_prices`. Empty: none.',
    example: '{"max_concurrency":20}',
  }),
  param_override: jsonTextOf(z.record(z.string(), z.unknown())).default('').meta({
    description: 'JSON object that is merged into each request body. Empty: none.',
    example: '{"temperature":0}',
  }),
  tag: z
    .string()
    .trim()
    .max(100)
    .default('')
    .meta({ description: 'Tag to manage channels together. Empty: none.', example: 'main' }),
  priority: z
    .number()
    .int()
    .min(-PRIORITY_MAX)
    .max(PRIORITY_MAX)
    .default(0)
    .meta({ description: 'Channels of the highest priority are tried first.', example: 0 }),
  weight: z
    .number()
    .int()
    .max(WEIGHT_MAX)
    .overwrite(weight => Math.max(weight, 0))
    .default(0)
    .meta({
      description: 'Share of the requests among channels of the same priority. Negative values become 0.',
      example: 10,
    }),
  auto_ban: FlagNumber.default(1).meta({
    description: '1: may be disabled automatically, 0: may not. A request may send a boolean.',
    example: 1,
  }),
  max_input_tokens: z.number().int().min(0).max(100_000_000).default(0).meta({
    description: 'Requests with a longer estimated input skip the channel. 0: no limit.',
    example: 0,
  }),
})
