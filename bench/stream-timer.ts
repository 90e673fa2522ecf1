import { elapsedMs } from '#server/core/clock.ts'

/** The timing of one streamed response. */
export interface StreamTiming {
  readonly firstTokenMs: number
  /** The longest gap, including the wait for the first byte. */
  readonly longestGapMs: number
  /** For each event that says when it was sent, how much later it arrived. */
  readonly delaysMs: readonly number[]
}

export interface StreamTimer {
  readonly add: (text: string) => void
  read(): StreamTiming
}

const TOKEN = /"content":"[^"]/
/** What `timing-upstream-server.ts` writes as content. */
const STAMP = /@(\d+\.\d{3}) /g
const STAMP_CHARS_MAX = 20

/** The same in all processes of a machine to a few microseconds, and monotonic while they run. */
export const sharedClockMs = (): number => performance.timeOrigin + elapsedMs()

/** Times a stream of chat chunks, starting now. */
export function createStreamTimer(): StreamTimer {
  const startedMs = elapsedMs()
  const delaysMs: number[] = []
  let lastMs = startedMs
  let longestGapMs = 0
  let firstTokenMs: number | undefined
  /** The end of what arrived, in which a token or a stamp may have begun. */
  let unmatched = ''
  const addDelays = (text: string, arrivedMs: number): string => {
    let end = 0
    for (const stamp of text.matchAll(STAMP)) {
      delaysMs.push(arrivedMs - Number(stamp[1]))
      end = stamp.index + stamp[0].length
    }
    return text.slice(Math.max(end, text.length - STAMP_CHARS_MAX))
  }
  return {
    add(text) {
      const nowMs = elapsedMs()
      longestGapMs = Math.max(longestGapMs, nowMs - lastMs)
      lastMs = nowMs
      unmatched += text
      if (firstTokenMs === undefined && TOKEN.test(unmatched)) firstTokenMs = nowMs - startedMs
      unmatched = addDelays(unmatched, performance.timeOrigin + nowMs)
    },
    read: () => ({ firstTokenMs: firstTokenMs ?? 0, longestGapMs, delaysMs }),
  }
}

/** Counts the tokens in a complete streamed body. */
export const countTokens = (body: string): number => body.match(/"content":"[^"]/g)?.length ?? 0

/** Whether the body reached its end marker. */
export const isComplete = (body: string): boolean => body.trimEnd().endsWith('data: [DONE]')
