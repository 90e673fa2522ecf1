import { z } from 'zod'
import { REQUEST_POLICIES } from '../enums.ts'
import { FreeText, localizedError, ModelList } from '../fields.ts'
import { limit } from './stored.ts'

export const TOKEN_NAME_LENGTH_MAX = 30
const ALLOWED_ADDRESSES_MAX = 500
const EXPIRY_SECONDS_MAX = 253_402_300_799

const Address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** Splits an address list at line breaks and commas, and drops empty lines. */
export const addressLines = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map(line => line.trim())
    .filter(line => line !== '')

/** Whether the text is an IPv4 or IPv6 address or CIDR range. */
export const isAddress = (line: string): boolean => Address.safeParse(line).success

export const AllowedAddresses = FreeText.superRefine((text, context) => {
  const lines = addressLines(text)
  const invalid = lines.filter(line => !isAddress(line)).map(line => `"${line}"`)
  const problem =
    invalid.length > 0
      ? {
          zh: `${invalid.join('、')} 不是 IP 地址或网段`,
          en: `${invalid.join(', ')} ${invalid.length > 1 ? 'are not IP addresses or ranges' : 'is not an IP address or range'}`,
        }
      : lines.length > ALLOWED_ADDRESSES_MAX
        ? { zh: `最多 ${ALLOWED_ADDRESSES_MAX} 个 IP`, en: `at most ${ALLOWED_ADDRESSES_MAX} addresses` }
        : undefined
  if (problem) context.addIssue({ code: 'custom', message: problem.en, params: problem, input: text })
}).overwrite(text => [...new Set(addressLines(text))].join('\n'))

const TokenName = z
  .string()
  .trim()
  .refine(name => name !== '', localizedError('请输入名称', 'a name is needed'))
  .refine(
    name => [...name].length <= TOKEN_NAME_LENGTH_MAX,
    localizedError(
      `名称不能超过 ${TOKEN_NAME_LENGTH_MAX} 个字符`,
      `a name has at most ${TOKEN_NAME_LENGTH_MAX} characters`,
    ),
  )

/** 0 means never, like -1. */
const Expiry = z
  .number()
  .int()
  .min(-1)
  .max(EXPIRY_SECONDS_MAX)
  .overwrite(seconds => (seconds === 0 ? -1 : seconds))

const policy = (description: string) =>
  z.enum(REQUEST_POLICIES).default('allow').meta({ description, example: 'allow' })

/** Fields that a token's owner sets. All are read with every request of the token. */
export const TokenFields = z.object({
  name: TokenName.meta({ description: 'Name, 1 to 30 characters.', example: 'production' }),
  expired_time: Expiry.default(-1).meta({
    description: 'Unix seconds of the expiry; -1: never. 0 is stored as -1.',
    example: -1,
  }),
  unlimited_quota: z
    .boolean()
    .default(false)
    .meta({ description: "Whether only the owner's balance limits spending.", example: false }),
  model_limits_enabled: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether only the models in `model_limits` are allowed.', example: false }),
  model_limits: ModelList.default('').meta({
    description: 'Comma-separated names of the allowed models. A request may send them as an array.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  allow_ips: AllowedAddresses.default('').meta({
    description: 'Allowed client addresses and CIDR ranges, one per line. Empty: all.',
    example: '203.0.113.0/24',
  }),
  group: z
    .string()
    .trim()
    .max(64)
    .default('')
    .meta({ description: "Group. Empty: the owner's group.", example: '' }),
  max_concurrency: limit('Requests in progress at the same time. 0: no limit.', 0),
  requests_per_minute: limit('Requests per minute. 0: no limit.', 60),
  service_tier: policy('`allow`, `strip` or `forbid` requests for another service tier or speed.'),
  server_tools: policy('`allow`, `strip` or `forbid` tools that the provider runs, such as web search.'),
})
