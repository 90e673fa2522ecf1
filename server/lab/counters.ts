/** What the lab saw. `inFlight` counts answers that are not finished. Bytes are those of bodies. */
export interface Counts {
  readonly requests: number
  readonly inFlight: number
  readonly finished: number
  /** The client left before the end. */
  readonly aborted: number
  /** The lab itself broke the connection. */
  readonly dropped: number
  readonly bytesIn: number
  readonly bytesOut: number
}

type End = 'finished' | 'aborted' | 'dropped'

/** One request while it is answered. Only the first `end` counts. */
export interface RequestCounter {
  sent(bytes: number): void
  end(how: End): void
}

export interface Counters {
  enter(bytesIn: number): RequestCounter
  read(): Counts
  /** Sets all to zero; requests in flight are forgotten. */
  reset(): void
}

const ZERO: Counts = {
  requests: 0,
  inFlight: 0,
  finished: 0,
  aborted: 0,
  dropped: 0,
  bytesIn: 0,
  bytesOut: 0,
}

export function createCounters(): Counters {
  let counts: { -readonly [name in keyof Counts]: number } = { ...ZERO }
  return {
    enter(bytesIn) {
      const own = counts
      own.requests++
      own.inFlight++
      own.bytesIn += bytesIn
      let isOpen = true
      return {
        sent(bytes) {
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

/** One visit that several counters see. */
export const together = (visits: readonly RequestCounter[]): RequestCounter => ({
  sent(bytes) {
    for (const visit of visits) visit.sent(bytes)
  },
  end(how) {
    for (const visit of visits) visit.end(how)
  },
})
