import type { StreamEvent } from '../exchange.ts'

/** Cuts the bytes of one answer into events, however they were cut on their way. Fresh per answer. */
export interface Framer {
  /** The events that these bytes complete. Throws a GatewayError `upstream_bad_answer` beyond the line limit. */
  push(bytes: Uint8Array): readonly StreamEvent[]
  /** What the end of the bytes completes. Call once. */
  end(): readonly StreamEvent[]
}
