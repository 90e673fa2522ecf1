import { DEFAULT_FAULT_PLAN, type FaultPlan } from './fault-plan.ts'
import { FAULTS } from './faults.ts'
import type { LabRequest } from './operation.ts'

export type ScenarioResult = { readonly faultPlan: FaultPlan } | { readonly problem: string }

/** The places where a request can name a scenario, from the lowest precedence to the highest. */
export interface ScenarioSources {
  /** Set with the control API. */
  readonly namespace: string
  /** `…/fault/SCENARIO/…` */
  readonly path: string
  /** The header `x-lab`. */
  readonly header: string
  /** A key `lab-SCENARIO`. A key that is not a valid scenario is an ordinary key. */
  readonly key: string
}

const PREFIX = 'lab-'
const MARKER = /\[lab:([^\]]*)\]/

/** Builds the fault plan from everything but the body. */
export function readRequestScenario({ namespace, path, header, key }: ScenarioSources): ScenarioResult {
  let faultPlan: FaultPlan = DEFAULT_FAULT_PLAN
  for (const scenario of [namespace, path, header]) {
    const result = scenario === '' ? { faultPlan } : parseScenario(faultPlan, scenario)
    if ('problem' in result) return result
    faultPlan = result.faultPlan
  }
  const keyResult = key.startsWith(PREFIX)
    ? parseScenario(faultPlan, key.slice(PREFIX.length))
    : { faultPlan }
  return 'problem' in keyResult ? { faultPlan } : keyResult
}

/** Adds the faults that the model name and the marker in the last message request. */
export function readPromptScenario(faultPlan: FaultPlan, request: LabRequest): ScenarioResult {
  const modelResult = request.model.startsWith(PREFIX)
    ? parseScenario(faultPlan, request.model.slice(PREFIX.length))
    : { faultPlan }
  const marker = request.lastText.includes('[lab:') ? MARKER.exec(request.lastText)?.[1] : undefined
  if ('problem' in modelResult || marker === undefined) return modelResult
  return parseScenario(modelResult.faultPlan, marker)
}

const DIRECTIVE = /^([a-z]+(?:-[a-z]+)*)(?:-(\d{1,12}))?$/
const DIRECTIVES_MAX = 16

/** Applies `NAME` or `NAME-FIGURE`, or several joined by `+`, to a plan. Later ones override earlier ones. */
export function parseScenario(faultPlan: FaultPlan, scenario: string): ScenarioResult {
  const directives = scenario.split('+')
  if (directives.length > DIRECTIVES_MAX)
    return { problem: `found ${directives.length} faults, at most ${DIRECTIVES_MAX} are allowed` }
  let changed = faultPlan
  for (const directive of directives) {
    const result = applyDirective(changed, directive.trim())
    if ('problem' in result) return result
    changed = result.faultPlan
  }
  return { faultPlan: changed }
}

function applyDirective(faultPlan: FaultPlan, directive: string): ScenarioResult {
  const [, name = '', digits] = DIRECTIVE.exec(directive) ?? []
  const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined
  if (!fault) return { problem: `the lab has no fault '${directive}'; GET / lists all faults` }
  if (digits !== undefined && !fault.figure)
    return { problem: `the fault '${name}' takes no figure, found ${digits}` }
  const figure = digits === undefined ? (fault.figure?.usual ?? 0) : Number(digits)
  if (fault.figure && figure > fault.figure.most)
    return { problem: `the figure of '${name}' may be at most ${fault.figure.most}, found ${figure}` }
  return { faultPlan: { ...faultPlan, ...fault.change(figure) } }
}
