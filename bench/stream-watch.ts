import { elapsedMs } from '../server/core/clock.ts'

/** The timing of one streamed response. */
export interface StreamTiming {
  readonly firstTokenMs: number
  /** The longest gap, including the wait for the first byte. */
  readonly longestGapMs: number
}

export interface StreamWatch {
  readonly see: (text: string) => void
  read(): StreamTiming
}

const TOKEN = /"content":"[^"]/

/** Watches a stream of chat chunks from now on. */
export function createStreamWatch(): StreamWatch {
  const startedMs = elapsedMs()
  let lastMs = startedMs
  let longestGapMs = 0
  let firstTokenMs: number | undefined
  let head = ''
  return {
    see(text) {
      const nowMs = elapsedMs()
      longestGapMs = Math.max(longestGapMs, nowMs - lastMs)
      lastMs = nowMs
      if (firstTokenMs !== undefined) return
      head += text
      if (TOKEN.test(head)) firstTokenMs = nowMs - startedMs
    },
    read: () => ({ firstTokenMs: firstTokenMs ?? 0, longestGapMs }),
  }
}

/** Number of tokens in a complete streamed body. */
export const tokensIn = (body: string): number => body.match(/"content":"[^"]/g)?.length ?? 0

/** Whether the body reached its end marker. */
export const isComplete = (body: string): boolean => body.trimEnd().endsWith('data: [DONE]')
