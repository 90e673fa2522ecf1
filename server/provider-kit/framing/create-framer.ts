import type { Framing } from '../contract/operation-adapter.ts'
import { createAwsEventStreamFramer } from './aws-event-stream.ts'
import { createNdjsonFramer, createSseFramer, type Framer } from './text-framing.ts'

const FRAMERS: Readonly<Record<Framing, () => Framer>> = {
  sse: createSseFramer,
  ndjson: createNdjsonFramer,
  'aws-event-stream': createAwsEventStreamFramer,
}

/** Creates a framer for the framing that an adapter names. */
export const createFramer = (framing: Framing): Framer => FRAMERS[framing]()
