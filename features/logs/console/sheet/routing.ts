import type { LogDetail } from '../../contract/log-detail.ts'

type Attempt = NonNullable<LogDetail['attempts']>[number]
export type Candidate = NonNullable<LogDetail['candidates']>[number]

/** The `status` of an attempt that was skipped before a request was sent. */
export const NOT_SENT = 0

const ERROR_STATUS_MIN = 400

export interface WaterfallStep {
  /** Counts from 1. */
  readonly number: number
  /** Undefined for ordinary users, who see no channels. */
  readonly channel: { readonly id: number; readonly name: string } | undefined
  readonly status: number
  readonly ms: number
  readonly code: string | undefined
  readonly isSuccess: boolean
  /** The start and the duration as shares of the whole request, from 0 to 1. */
  readonly startShare: number
  readonly share: number
}

/** The attempts in order, to the scale of the whole request or of their sum when that is longer. */
export function toWaterfall(attempts: readonly Attempt[], totalMs: number): WaterfallStep[] {
  const attemptsMs = attempts.reduce((sum, attempt) => sum + attempt.ms, 0)
  const scaleMs = Math.max(attemptsMs, totalMs, 1)
  let startMs = 0
  return attempts.map(({ channel_id: id, channel_name: name = '', status, ms, code }, index) => {
    const startShare = startMs / scaleMs
    startMs += ms
    return {
      number: index + 1,
      channel: id === undefined ? undefined : { id, name },
      status,
      ms,
      code,
      isSuccess: status > 0 && status < ERROR_STATUS_MIN && code === undefined,
      startShare,
      share: ms / scaleMs,
    }
  })
}

/** Whether a candidate channel was tried, skipped before a request was sent, or not reached, after a response or without one. */
export function candidateStatus(
  channelId: number | undefined,
  attempts: readonly Attempt[],
): 'tried' | 'skipped' | 'notNeeded' | 'notTried' {
  const own = attempts.filter(attempt => attempt.channel_id === channelId)
  if (own.some(({ status }) => status !== NOT_SENT)) return 'tried'
  if (own.length > 0) return 'skipped'
  const last = attempts.at(-1)
  return last && last.status !== NOT_SENT && last.code === undefined ? 'notNeeded' : 'notTried'
}
