import { type Counters, createCounters } from './counters.ts'
import { DEFAULT_FAULT_PLAN } from './fault-plan.ts'
import { parseScenario } from './scenario.ts'

/** A request as the lab received it, for tests of a gateway's upstream requests. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An isolated base URL of the lab. Its faults can be changed while clients use it. */
export interface LabNamespace {
  readonly counters: Counters
  /** Empty for no faults. */
  scenario: string
  /** The latest request. */
  last: RecordedRequest | undefined
}

export interface LabNamespaces {
  /** Creates the namespace on first use. Returns undefined when there are too many. */
  find(name: string): LabNamespace | undefined
  all(): ReadonlyMap<string, LabNamespace>
  clear(): void
}

const NAMESPACES_MAX = 256

export function createNamespaces(): LabNamespaces {
  const namespaces = new Map<string, LabNamespace>()
  return {
    find(name) {
      const existing = namespaces.get(name)
      if (existing || namespaces.size >= NAMESPACES_MAX) return existing
      const namespace: LabNamespace = { counters: createCounters(), scenario: '', last: undefined }
      namespaces.set(name, namespace)
      return namespace
    },
    all: () => namespaces,
    clear: () => namespaces.clear(),
  }
}

/** Sets the scenario of a namespace. Returns the problem when the scenario is invalid, and then changes nothing. */
export function setScenario(namespace: LabNamespace, scenario: string): string | undefined {
  const result = scenario === '' ? undefined : parseScenario(DEFAULT_FAULT_PLAN, scenario)
  if (result && 'problem' in result) return result.problem
  namespace.scenario = scenario
  return undefined
}
