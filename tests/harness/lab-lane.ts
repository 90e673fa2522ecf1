import type { Lab } from './start-lab.ts'
import { waitUntil } from './wait-until.ts'

const QUIET_TIMEOUT_MS = 5_000

/** What the lab says of one lane. */
export interface LaneState {
  readonly requests: number
  readonly inFlight: number
  readonly finished: number
  /** The caller left before the end. */
  readonly aborted: number
  readonly bytesOut: number
  readonly last: {
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  } | null
}

export async function readLane(lab: Lab, lane: string): Promise<LaneState> {
  return laneOf(await fetch(`${lab.url}/control/lanes/${lane}`))
}

/** From now on the lane does what the script says; an empty one: nothing bad. */
export async function setLaneScript(lab: Lab, lane: string, script: string): Promise<LaneState> {
  return laneOf(await fetch(`${lab.url}/control/lanes/${lane}`, { method: 'PUT', body: script }))
}

/** The lane's figures once nothing is under way any more. */
export function quietLane(lab: Lab, lane: string): Promise<LaneState> {
  return waitUntil(
    { what: `the end of all calls on lane ${lane}`, timeoutMs: QUIET_TIMEOUT_MS },
    async () => {
      const state = await readLane(lab, lane)
      return state.inFlight === 0 && state
    },
  )
}

/** Trusts the lab's own shape: its tests hold it to that. */
async function laneOf(response: Response): Promise<LaneState> {
  if (!response.ok) throw new Error(`the lab refused (${response.status}): ${await response.text()}`)
  return (await response.json()) as LaneState
}
