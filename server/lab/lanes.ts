import { type Counters, openCounters } from './counters.ts'
import { USUAL_PLAN } from './plan.ts'
import { readScript } from './read-script.ts'

/** What arrived last on a lane, for tests of what a gateway sends. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One named way into the lab, with faults that can be changed while it runs. */
export interface Lane {
  readonly counters: Counters
  /** Empty: no fault. */
  script: string
  last: SeenRequest | undefined
}

export interface Lanes {
  /** Made on first use; undefined when there are too many. */
  find(name: string): Lane | undefined
  all(): ReadonlyMap<string, Lane>
  clear(): void
}

const LANES_MAX = 256

export function openLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  return {
    find(name) {
      const known = lanes.get(name)
      if (known || lanes.size >= LANES_MAX) return known
      const lane: Lane = { counters: openCounters(), script: '', last: undefined }
      lanes.set(name, lane)
      return lane
    },
    all: () => lanes,
    clear: () => lanes.clear(),
  }
}

/** Says what is wrong with a script, else sets it. */
export function setScript(lane: Lane, script: string): string | undefined {
  const reading = script === '' ? undefined : readScript(USUAL_PLAN, script)
  if (reading && 'problem' in reading) return reading.problem
  lane.script = script
  return undefined
}
