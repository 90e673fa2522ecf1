import type { Framing } from '../exchange.ts'
import { openAwsEventStream } from './aws-event-stream.ts'
import type { Framer } from './framer.ts'
import { openNdjson } from './ndjson.ts'
import { openSse } from './sse.ts'

const FRAMERS: Readonly<Record<Framing, () => Framer>> = {
  sse: openSse,
  ndjson: openNdjson,
  'aws-event-stream': openAwsEventStream,
}

/** A new framer of the kind that an exchange names. */
export const openFraming = (framing: Framing): Framer => FRAMERS[framing]()
