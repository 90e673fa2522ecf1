import type { Lab } from './start-lab.ts'
import { waitUntil } from './wait-until.ts'

const QUIET_TIMEOUT_MS = 5_000

/** What the lab says of one lane. */
export interface NamespaceState {
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

export async function readNamespace(lab: Lab, lane: string): Promise<NamespaceState> {
  return parseNamespace(await fetch(`${lab.url}/control/lanes/${lane}`))
}

/** From now on the lane does what the script says; an empty one: nothing bad. */
export async function setScenario(lab: Lab, lane: string, script: string): Promise<NamespaceState> {
  return parseNamespace(await fetch(`${lab.url}/control/lanes/${lane}`, { method: 'PUT', body: script }))
}

/** The lane's figures once nothing is under way any more. */
export function waitUntilIdle(lab: Lab, lane: string): Promise<NamespaceState> {
  return waitUntil(
    { description: `the end of all calls on lane ${lane}`, timeoutMs: QUIET_TIMEOUT_MS },
    async () => {
      const state = await readNamespace(lab, lane)
      return state.inFlight === 0 && state
    },
  )
}

/** Trusts the lab's own shape: its tests hold it to that. */
async function parseNamespace(response: Response): Promise<NamespaceState> {
  if (!response.ok) throw new Error(`the lab refused (${response.status}): ${await response.text()}`)
  return (await response.json()) as NamespaceState
}
