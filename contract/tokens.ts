import { z } from 'zod'
import { endpoint, IdParams, Ids, ListMeta, RowOutcome, TokenPages, TokenSearchPages } from './endpoint.ts'
import {
  FreeText,
  localizedError,
  ModelList,
  QueryNumber,
  QueryText,
  QuotaUnits,
  SignedQuota,
} from './fields.ts'

export const TOKEN_NAME_LENGTH_MAX = 30
export const TOKEN_QUOTA_DEFAULT = 500_000
export const TOKEN_LIMIT_MAX = 1_000_000
export const TOKEN_SORTS = [
  'id',
  'name',
  'used_quota',
  'remain_quota',
  'created_time',
  'accessed_time',
  'expired_time',
] as const
const ALLOWED_ADDRESSES_MAX = 500
const EXPIRY_SECONDS_MAX = 253_402_300_799

/** Status: 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
export const Token = z.object({
  id: z.number(),
  user_id: z.number(),
  /** 48 letters and digits, without the prefix `sk-`. Only ever the caller's own. */
  key: z.string(),
  status: z.number(),
  name: z.string(),
  created_time: z.number(),
  accessed_time: z.number(),
  /** Unix seconds; -1 never. */
  expired_time: z.number(),
  remain_quota: z.number(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma text. */
  model_limits: z.string(),
  /** One address or range a line; empty: all. */
  allow_ips: z.string(),
  used_quota: z.number(),
  /** Empty: the owner's group. */
  group: z.string(),
  /** Requests under way at once; 0: no limit. */
  max_concurrency: z.number(),
  /** Requests begun in a minute; 0: no limit. */
  requests_per_minute: z.number(),
  DeletedAt: z.string().nullable(),
})
export type Token = z.infer<typeof Token>

const Address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** The lines of an address list, without blanks. */
export const addressLines = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map(line => line.trim())
    .filter(line => line !== '')

/** Whether a line is an IPv4 or IPv6 address or a range of them. */
export const isAddress = (line: string): boolean => Address.safeParse(line).success

export const AllowedAddresses = FreeText.transform((text, context) => {
  const lines = addressLines(text)
  const bad = lines.find(line => !isAddress(line))
  const problem =
    bad !== undefined
      ? { zh: `"${bad}" 不是 IP 地址或网段`, en: `"${bad}" is not an IP address or range` }
      : lines.length > ALLOWED_ADDRESSES_MAX
        ? { zh: `最多 ${ALLOWED_ADDRESSES_MAX} 个 IP`, en: `at most ${ALLOWED_ADDRESSES_MAX} addresses` }
        : undefined
  if (problem) context.addIssue({ code: 'custom', message: problem.en, params: problem, input: text })
  return [...new Set(lines)].join('\n')
})

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

/** 0 means never, as -1 does. */
const Expiry = z
  .number()
  .int()
  .min(-1)
  .max(EXPIRY_SECONDS_MAX)
  .transform(seconds => (seconds === 0 ? -1 : seconds))

const Limit = z.number().int().min(0).max(TOKEN_LIMIT_MAX)

export const TokenDraft = z.object({
  name: TokenName,
  expired_time: Expiry.default(-1),
  remain_quota: QuotaUnits.default(0),
  unlimited_quota: z.boolean().default(false),
  model_limits_enabled: z.boolean().default(false),
  model_limits: ModelList.default(''),
  allow_ips: AllowedAddresses.default(''),
  group: z.string().trim().max(64).default(''),
  max_concurrency: Limit.default(0),
  requests_per_minute: Limit.default(0),
})
export type TokenDraft = z.infer<typeof TokenDraft>

/** What is absent stays. */
export const TokenChange = z.object({
  id: z.number().int().positive(),
  status: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]).optional(),
  name: TokenName.optional(),
  expired_time: Expiry.optional(),
  /** Never below zero, but what stands there may be sent back. */
  remain_quota: SignedQuota.optional(),
  /** What the caller saw: what was spent since then stays spent. */
  remain_quota_seen: z.number().int().optional(),
  unlimited_quota: z.boolean().optional(),
  model_limits_enabled: z.boolean().optional(),
  model_limits: ModelList.optional(),
  allow_ips: AllowedAddresses.optional(),
  group: z.string().trim().max(64).optional(),
  max_concurrency: Limit.optional(),
  requests_per_minute: Limit.optional(),
})
export type TokenChange = z.infer<typeof TokenChange>

const Filters = {
  /** 0: all; else 1 to 4, as the clock and the spent quota have it. */
  status: QueryNumber,
  /** Empty: all of them. */
  group: QueryText,
  sort: z.enum(TOKEN_SORTS).catch('id'),
  order: z.enum(['asc', 'desc']).catch('desc'),
}

export const listTokens = endpoint({
  method: 'GET',
  path: '/api/token/',
  role: 'user',
  summary: 'Own tokens, newest first unless sorted otherwise; pages count from 0',
  query: TokenPages.extend(Filters),
  reply: z.array(Token),
  meta: ListMeta,
})

export const searchTokens = endpoint({
  method: 'GET',
  path: '/api/token/search',
  role: 'user',
  summary: 'Own tokens whose name and key contain the given parts',
  query: TokenSearchPages.extend(Filters).extend({ keyword: QueryText, token: QueryText }),
  reply: z.array(Token),
  meta: ListMeta,
})

export const getToken = endpoint({
  method: 'GET',
  path: '/api/token/:id',
  role: 'user',
  summary: 'One own token',
  params: IdParams,
  reply: Token,
})

export const createToken = endpoint({
  method: 'POST',
  path: '/api/token/',
  role: 'user',
  summary: 'Makes a token and answers it with its key',
  body: TokenDraft,
  reply: Token,
})

export const updateToken = endpoint({
  method: 'PUT',
  path: '/api/token/',
  role: 'user',
  summary: 'Changes an own token; with status_only only its status (1 enables, 2 disables)',
  query: z.object({ status_only: z.string().optional() }),
  body: TokenChange,
  reply: Token,
})

export const deleteToken = endpoint({
  method: 'DELETE',
  path: '/api/token/:id',
  role: 'user',
  summary: 'Deletes an own token for good',
  params: IdParams,
})

export const updateTokensBatch = endpoint({
  method: 'PUT',
  path: '/api/token/batch',
  role: 'user',
  summary: 'Enables (1) or disables (2) the named own tokens; each row is told of',
  body: z.object({ ids: Ids, status: z.union([z.literal(1), z.literal(2)]) }),
  reply: z.array(RowOutcome),
})

export const deleteTokens = endpoint({
  method: 'POST',
  path: '/api/token/batch',
  role: 'user',
  summary: 'Deletes the named own tokens for good; each row is told of',
  body: z.object({ ids: Ids }),
  reply: z.array(RowOutcome),
})
