import type { ClientError } from '../../provider-kit/contract/client-dialect.ts'
import { type RateLimitState, readErrorKind } from '../../provider-kit/error-kind.ts'

/** The shares of a limit at which Claude Code warns its user. Source of this file: `/protocol` of `claude gateway`. */
export const LIMIT_WARNINGS = [0.95, 0.75] as const
/** A share of 1 says that requests are rejected. */
const SHARE_MAX = 0.99
const PERCENT = 100
const PREFIX = 'anthropic-ratelimit-unified'

/** How much of its limit a caller has used. */
export function usageHeaders(share: number): Readonly<Record<string, string>> {
  const threshold = LIMIT_WARNINGS.find(least => share >= least)
  const status = threshold === undefined ? 'allowed' : 'allowed_warning'
  const utilization = Math.min(Math.floor(share * PERCENT) / PERCENT, SHARE_MAX)
  return {
    [`${PREFIX}-status`]: status,
    [`${PREFIX}-representative-claim`]: 'overage',
    [`${PREFIX}-overage-status`]: status,
    [`${PREFIX}-overage-utilization`]: utilization.toFixed(2),
    ...(threshold !== undefined && { [`${PREFIX}-overage-surpassed-threshold`]: String(threshold) }),
  }
}

/** Of a spent budget. The client shows the message as it is, since no claim is named. */
const SPENT_HEADERS = {
  [`${PREFIX}-status`]: 'rejected',
  [`${PREFIX}-overage-utilization`]: '1',
  [`${PREFIX}-overage-surpassed-threshold`]: '1',
  [`${PREFIX}-overage-disabled-reason`]: 'org_spend_cap_reached',
}

export const errorHeaders = (error: ClientError): Readonly<Record<string, string>> => ({
  ...(readErrorKind(error) === 'spent budget' && SPENT_HEADERS),
  ...(error.rateLimit && limitHeaders(error.rateLimit)),
})

const MS_PER_SECOND = 1000

/** Money has no headers of its own there. Source: platform.claude.com/docs/en/api/rate-limits#response-headers */
const limitHeaders = ({ counted, limit, remaining, resetsAt }: RateLimitState) => ({
  ...(resetsAt !== undefined && { [`${PREFIX}-reset`]: String(resetsAt) }),
  ...(counted !== 'quota' && {
    [`anthropic-ratelimit-${counted}-limit`]: String(limit),
    [`anthropic-ratelimit-${counted}-remaining`]: String(remaining),
    ...(resetsAt !== undefined && {
      [`anthropic-ratelimit-${counted}-reset`]: new Date(resetsAt * MS_PER_SECOND).toISOString(),
    }),
  }),
})
