/**
 * The numbers that stand for roles, statuses and types in the API and in the database. They are part of stored data:
 * never renumber or reuse one.
 */

/** Permissions of callers. Each role includes the ones before it. */
export const ROLE = { visitor: 0, user: 1, admin: 10, root: 100 } as const
export type Role = keyof typeof ROLE

/** An organisation is an account that its members use and nobody signs in to. */
export const USER_KINDS = ['person', 'organization'] as const

/** What members may do in an organisation. Each role includes the ones before it. */
export const ORGANIZATION_ROLES = ['member', 'billing', 'admin', 'owner'] as const
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number]

export const USER_STATUS = { enabled: 1, banned: 2 } as const

/** `expired` and `exhausted` follow from the clock and the quota; only the first two are set by the owner. */
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const

/** `autoDisabled`: disabled by the gateway, which may enable the channel again after a successful test. */
export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const

export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const

/** `rejection`: a request that was rejected before a channel was called. In other gateways 6 is a refund. */
export const LOG_TYPE = {
  topUp: 1,
  consumption: 2,
  management: 3,
  system: 4,
  failure: 5,
  rejection: 7,
} as const

/** Types of requests without a response. */
export const FAILED_LOG_TYPES: readonly number[] = [LOG_TYPE.failure, LOG_TYPE.rejection]

/** Kinds of balance changes. `charge` stands for all requests of one day, the others for single postings. */
export const TRANSACTION_KINDS = [
  'charge',
  'top_up',
  'code',
  'gift',
  'invitation_transfer',
  'adjustment',
  'plan_payment',
  'plan_refund',
  'import',
] as const
export type TransactionKind = (typeof TRANSACTION_KINDS)[number]

/** By what requests can be grouped. */
export const ANALYTICS_DIMENSIONS = [
  'model',
  'user',
  'channel',
  'token',
  'group',
  'dialect',
  'error',
  'region',
  'organization',
  'member',
  'project',
  'plan',
  'tag',
] as const
export type AnalyticsDimension = (typeof ANALYTICS_DIMENSIONS)[number]

/** Users see neither channels nor other users; an organisation sees its members and projects. */
export const OWN_ANALYTICS_DIMENSIONS = [
  'model',
  'token',
  'group',
  'dialect',
  'error',
  'region',
  'member',
  'project',
  'plan',
  'tag',
] as const satisfies readonly AnalyticsDimension[]

/** Measures of a group's requests. */
export const OWN_ANALYTICS_MEASURES = [
  'requests',
  'errors',
  'revenue',
  'tokens',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'image_input_tokens',
  'first_token_p50',
  'first_token_p95',
  'duration_p50',
  'duration_p95',
] as const
export const ANALYTICS_MEASURES = [...OWN_ANALYTICS_MEASURES, 'cost', 'margin'] as const
export type AnalyticsMeasure = (typeof ANALYTICS_MEASURES)[number]

export const ANALYTICS_BUCKETS = ['minute', 'five_minutes', 'hour', 'day', 'week'] as const
export type AnalyticsBucket = (typeof ANALYTICS_BUCKETS)[number]

/**
 * What happens to requests that ask for a service tier, or for tools that the provider runs: sent, sent without, or
 * refused.
 */
export const REQUEST_POLICIES = ['allow', 'strip', 'forbid'] as const
export type RequestPolicy = (typeof REQUEST_POLICIES)[number]
