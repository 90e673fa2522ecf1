import { type Counters, createCounters } from './counters.ts'
import { DEFAULT_FAULT_PLAN } from './fault-plan.ts'
import { parseScenario } from './scenario.ts'

/** What arrived last on a lane, for tests of what a gateway sends. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One named way into the lab, with faults that can be changed while it runs. */
export interface LabNamespace {
  readonly counters: Counters
  /** Empty: no fault. */
  scenario: string
  last: RecordedRequest | undefined
}

export interface LabNamespaces {
  /** Made on first use; undefined when there are too many. */
  find(name: string): LabNamespace | undefined
  all(): ReadonlyMap<string, LabNamespace>
  clear(): void
}

const NAMESPACES_MAX = 256

export function createNamespaces(): LabNamespaces {
  const namespaces = new Map<string, LabNamespace>()
  return {
    find(name) {
      const known = namespaces.get(name)
      if (known || namespaces.size >= NAMESPACES_MAX) return known
      const namespace: LabNamespace = { counters: createCounters(), scenario: '', last: undefined }
      namespaces.set(name, namespace)
      return namespace
    },
    all: () => namespaces,
    clear: () => namespaces.clear(),
  }
}

/** Says what is wrong with a script, else sets it. */
export function setScenario(namespace: LabNamespace, scenario: string): string | undefined {
  const reading = scenario === '' ? undefined : parseScenario(DEFAULT_FAULT_PLAN, scenario)
  if (reading && 'problem' in reading) return reading.problem
  namespace.scenario = scenario
  return undefined
}
