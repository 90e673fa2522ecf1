import { elapsedMs } from '../server/core/clock.ts'

/** When the pieces of one streamed answer came. */
export interface StreamTiming {
  readonly firstTokenMs: number
  /** The longest silence, the wait for the first byte included. */
  readonly longestGapMs: number
}

export interface StreamWatch {
  readonly see: (text: string) => void
  read(): StreamTiming
}

const TOKEN = /"content":"[^"]/

/** Watches an answer of chat chunks from the moment at which it is opened. */
export function openStreamWatch(): StreamWatch {
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

/** How many tokens a whole streamed body carries. */
export const tokensIn = (body: string): number => body.match(/"content":"[^"]/g)?.length ?? 0

/** Whether it reached the end mark. */
export const isComplete = (body: string): boolean => body.trimEnd().endsWith('data: [DONE]')
