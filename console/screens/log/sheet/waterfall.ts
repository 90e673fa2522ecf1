import type { LogDetail } from '#contract/logs/logs.ts'

type Attempt = NonNullable<LogDetail['attempts']>[number]

export interface WaterfallStep {
  /** Counts from 1. */
  readonly number: number
  /** Undefined for readers who must not see channels. */
  readonly channel: { readonly id: number; readonly name: string } | undefined
  readonly status: number
  readonly ms: number
  readonly code: string | undefined
  readonly isGood: boolean
  /** Where it begins and how long it is, from 0 to 1 of the whole. */
  readonly startShare: number
  readonly share: number
}

const BAD_FROM = 400

/** The attempts one after another, to the scale of the whole request. */
export function toWaterfall(attempts: readonly Attempt[], totalMs: number): WaterfallStep[] {
  const spent = attempts.reduce((sum, attempt) => sum + attempt.ms, 0)
  const whole = Math.max(spent, totalMs, 1)
  let started = 0
  return attempts.map(({ channel_id: id, channel_name: name = '', status, ms, code }, index) => {
    const startShare = started / whole
    started += ms
    return {
      number: index + 1,
      channel: id === undefined ? undefined : { id, name },
      status,
      ms,
      code,
      isGood: status > 0 && status < BAD_FROM && code === undefined,
      startShare,
      share: ms / whole,
    }
  })
}
