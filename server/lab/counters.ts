/** Counts of the requests that a lab or a namespace received. Byte counts cover bodies only. */
export interface LabCounts {
  readonly requests: number
  /** Requests whose response is not complete yet. */
  readonly inFlight: number
  readonly finished: number
  /** The client disconnected before the end of the response. */
  readonly aborted: number
  /** The lab itself reset the connection. */
  readonly dropped: number
  readonly bytesIn: number
  readonly bytesOut: number
}

type RequestEnd = 'finished' | 'aborted' | 'dropped'

/** Counts one request. Only the first `end` has an effect. */
export interface RequestCounter {
  addBytesOut(bytes: number): void
  end(how: RequestEnd): void
}

export interface Counters {
  startRequest(bytesIn: number): RequestCounter
  read(): LabCounts
  /** Sets all counts to zero. Requests in flight are no longer counted. */
  reset(): void
}

const ZERO: LabCounts = {
  requests: 0,
  inFlight: 0,
  finished: 0,
  aborted: 0,
  dropped: 0,
  bytesIn: 0,
  bytesOut: 0,
}

export function createCounters(): Counters {
  let counts: { -readonly [name in keyof LabCounts]: number } = { ...ZERO }
  return {
    startRequest(bytesIn) {
      // A reset replaces `counts`, so a request keeps counting on the object that it started with.
      const own = counts
      own.requests++
      own.inFlight++
      own.bytesIn += bytesIn
      let isOpen = true
      return {
        addBytesOut(bytes) {
          own.bytesOut += bytes
        },
        end(how) {
          if (!isOpen) return
          isOpen = false
          own.inFlight--
          own[how]++
        },
      }
    },
    read: () => ({ ...counts }),
    reset() {
      counts = { ...ZERO }
    },
  }
}

/** Counts one request in several counters. */
export const combineCounters = (counters: readonly RequestCounter[]): RequestCounter => ({
  addBytesOut(bytes) {
    for (const counter of counters) counter.addBytesOut(bytes)
  },
  end(how) {
    for (const counter of counters) counter.end(how)
  },
})
