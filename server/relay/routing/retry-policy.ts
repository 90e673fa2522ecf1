import type { Failure } from '../../provider-kit/failure.ts'

/** What follows a failed try, as long as no answer has begun. After that nothing is ever tried again. */
export type Verdict = 'same channel' | 'next key' | 'next channel' | 'answer'

interface Rule {
  /** As docs/reference/routing.md says it. */
  readonly when: string
  readonly holds: (failure: Failure) => boolean
  readonly verdict: Verdict
}

const isOneOf =
  (...statuses: readonly number[]) =>
  ({ status }: Failure): boolean =>
    statuses.includes(status)

/** The first rule that holds decides. */
export const retryRules: readonly Rule[] = [
  {
    when: 'the client left',
    holds: ({ code }) => code === 'client_closed_request',
    verdict: 'answer',
  },
  {
    when: 'the connection was lost before the headers of an answer',
    holds: failure => failure.isConnectionLost === true,
    verdict: 'same channel',
  },
  {
    when: 'the key is refused (revoked, unpaid, banned)',
    holds: failure => failure.isKeyDead === true,
    verdict: 'next key',
  },
  {
    when: 'the vendor says that nobody could answer this',
    holds: failure => failure.isRetryable === false,
    verdict: 'answer',
  },
  { when: '401, 402, 403: the key may not', holds: isOneOf(401, 402, 403), verdict: 'next key' },
  { when: '429: the key has had enough', holds: isOneOf(429), verdict: 'next key' },
  {
    when: 'the vendor says that another may answer',
    holds: failure => failure.isRetryable === true,
    verdict: 'next channel',
  },
  { when: '400, 408: the request itself is at fault', holds: isOneOf(400, 408), verdict: 'answer' },
  {
    when: '504, 524 of a proxy in front of the vendor, who may still be at work',
    holds: failure => isOneOf(504, 524)(failure) && failure.code !== 'upstream_timeout',
    verdict: 'answer',
  },
  {
    when: 'no connection, no headers or no first event in time',
    holds: ({ code }) => code === 'upstream_timeout',
    verdict: 'next channel',
  },
  {
    when: 'any other status from 300 up, an unreachable vendor, an answer that cannot be read',
    holds: ({ status }) => status >= 300,
    verdict: 'next channel',
  },
]

export function verdictOn(failure: Failure): Verdict {
  return retryRules.find(rule => rule.holds(failure))?.verdict ?? 'answer'
}
