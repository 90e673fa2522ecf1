/** How long each phase of an upstream call may last, in milliseconds. */
export interface RelayTimeouts {
  /** Until the headers of an answer that comes whole: the model has finished by then. */
  readonly wholeHeadersMs: number
  /** From there to the last byte of its body. */
  readonly wholeBodyMs: number
  /** Until the headers of a stream. */
  readonly streamHeadersMs: number
  /** Until the first event of a stream: a model may think before it speaks. */
  readonly firstEventMs: number
  /** Between two signs of life of a stream. */
  readonly idleMs: number
  /** Between two pieces of output, keep-alives aside. */
  readonly silentMs: number
  /** A stream as a whole. */
  readonly streamMs: number
}

export const RELAY_TIMEOUTS: RelayTimeouts = {
  wholeHeadersMs: 600_000,
  wholeBodyMs: 600_000,
  streamHeadersMs: 120_000,
  firstEventMs: 300_000,
  idleMs: 60_000,
  silentMs: 600_000,
  streamMs: 7_200_000,
}
