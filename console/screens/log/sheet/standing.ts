import type { LogDetail } from '#contract/logs/logs.ts'

type Attempt = NonNullable<LogDetail['attempts']>[number]

/** The status of an attempt in which nothing was sent. */
export const NOT_SENT = 0

/** What became of a channel that could have answered. */
export function candidateStatus(
  channelId: number | undefined,
  attempts: readonly Attempt[],
): 'tried' | 'passedOver' | 'notNeeded' {
  const own = attempts.filter(attempt => attempt.channel_id === channelId)
  if (own.some(({ status }) => status !== NOT_SENT)) return 'tried'
  return own.length > 0 ? 'passedOver' : 'notNeeded'
}
