import type { Failure } from '../../provider-kit/failures.ts'

/**
 * The next step after a failed attempt, before a response has begun. After that nothing is retried.
 *
 * - `same channel`: the same key once more.
 * - `next key`: the next entry of the route plan, which is another key of the same channel, or the next channel when no
 *   key is left.
 * - `next channel`: skips the remaining keys of the channel.
 * - `give up`: reports the failure to the client.
 */
export type RetryDecision = 'same channel' | 'next key' | 'next channel' | 'give up'

interface RetryRule {
  /** The wording of docs/reference/routing.md, which a test compares. */
  readonly when: string
  readonly matches: (failure: Failure) => boolean
  readonly decision: RetryDecision
}

const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status }: Failure): boolean =>
    statuses.includes(status)

/** The first rule that matches decides. */
export const RETRY_RULES: readonly RetryRule[] = [
  {
    when: 'the client disconnected',
    matches: ({ code }) => code === 'client_closed_request',
    decision: 'give up',
  },
  {
    when: 'the connection was lost before response headers',
    matches: failure => failure.isConnectionLost === true,
    decision: 'same channel',
  },
  {
    when: 'the key is refused (revoked, unpaid, banned)',
    matches: failure => failure.isKeyRevoked === true,
    decision: 'next key',
  },
  {
    when: 'the provider says that no channel could serve this',
    matches: failure => failure.isRetryable === false,
    decision: 'give up',
  },
  {
    when: '401, 402, 403: the key lacks permission',
    matches: hasStatus(401, 402, 403),
    decision: 'next key',
  },
  { when: '429: the key is rate limited', matches: hasStatus(429), decision: 'next key' },
  {
    when: 'the provider says that another channel may serve this',
    matches: failure => failure.isRetryable === true,
    decision: 'next channel',
  },
  { when: '400, 408: the request itself is at fault', matches: hasStatus(400, 408), decision: 'give up' },
  {
    when: '504, 524 from a proxy in front of the provider, which may still be working',
    matches: failure => hasStatus(504, 524)(failure) && failure.code !== 'upstream_timeout',
    decision: 'give up',
  },
  {
    when: 'no connection, no headers or no first event in time',
    matches: ({ code }) => code === 'upstream_timeout',
    decision: 'next channel',
  },
  {
    when: 'any other status from 300 up, an unreachable provider, an unreadable response',
    matches: ({ status }) => status >= 300,
    decision: 'next channel',
  },
]

export function decideRetry(failure: Failure): RetryDecision {
  return RETRY_RULES.find(rule => rule.matches(failure))?.decision ?? 'give up'
}
