import { type Candidate, MODEL } from './candidates/candidate.ts'
import type { Load } from './load.ts'

export const CONCURRENT_STREAMS = 100
/** The shape of every stream. */
export const STREAM = { events: 50, paceMs: 20 }
/** The first streams begin in one burst on new connections; each further one begins when another ends. */
const STREAMS_PER_ROUND = 500

/** One round of concurrent streams through a candidate. */
export const streamLoad = ({ model = MODEL }: Candidate): Omit<Load, 'url' | 'headers'> => ({
  kind: 'streams',
  connections: CONCURRENT_STREAMS,
  count: STREAMS_PER_ROUND,
  ratePerSecond: 0,
  body: {
    model,
    stream: true,
    messages: [{ role: 'user', content: 'How warm is it in Lisbon today?' }],
  },
})
