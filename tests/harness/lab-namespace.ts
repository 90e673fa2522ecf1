import type { Lab } from './start-lab.ts'
import { waitUntil } from './wait-until.ts'

const QUIET_TIMEOUT_MS = 20_000

/** Counters of one lab namespace. */
export interface NamespaceState {
  readonly requests: number
  readonly inFlight: number
  readonly finished: number
  /** Requests that the caller aborted. */
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

/** Sets the fault scenario of a namespace. An empty scenario means no faults. */
export async function setScenario(lab: Lab, lane: string, script: string): Promise<NamespaceState> {
  return parseNamespace(await fetch(`${lab.url}/control/lanes/${lane}`, { method: 'PUT', body: script }))
}

/** Waits until no request is in flight and returns the counters. */
export function waitUntilIdle(lab: Lab, lane: string): Promise<NamespaceState> {
  return waitUntil(
    { description: `the end of all calls on lane ${lane}`, timeoutMs: QUIET_TIMEOUT_MS },
    async () => {
      const state = await readNamespace(lab, lane)
      return state.inFlight === 0 && state
    },
  )
}

/** Safe cast: the tests of the lab verify the format. */
async function parseNamespace(response: Response): Promise<NamespaceState> {
  if (!response.ok) throw new Error(`the lab refused (${response.status}): ${await response.text()}`)
  return (await response.json()) as NamespaceState
}
