import { elapsedMs } from '../server/core/clock.ts'

/** The timing of one streamed response. */
export interface StreamTiming {
  readonly firstTokenMs: number
  /** The longest gap, including the wait for the first byte. */
  readonly longestGapMs: number
}

export interface StreamTimer {
  readonly add: (text: string) => void
  read(): StreamTiming
}

const TOKEN = /"content":"[^"]/

/** Times a stream of chat chunks, starting now. */
export function createStreamTimer(): StreamTimer {
  const startedMs = elapsedMs()
  let lastMs = startedMs
  let longestGapMs = 0
  let firstTokenMs: number | undefined
  let unmatched = ''
  return {
    add(text) {
      const nowMs = elapsedMs()
      longestGapMs = Math.max(longestGapMs, nowMs - lastMs)
      lastMs = nowMs
      if (firstTokenMs !== undefined) return
      unmatched += text
      if (TOKEN.test(unmatched)) firstTokenMs = nowMs - startedMs
    },
    read: () => ({ firstTokenMs: firstTokenMs ?? 0, longestGapMs }),
  }
}

/** Counts the tokens in a complete streamed body. */
export const countTokens = (body: string): number => body.match(/"content":"[^"]/g)?.length ?? 0

/** Whether the body reached its end marker. */
export const isComplete = (body: string): boolean => body.trimEnd().endsWith('data: [DONE]')
