import { DEFAULT_FAULT_PLAN, type FaultPlan } from './fault-plan.ts'
import { FAULTS } from './faults.ts'
import type { LabRequest } from './operation.ts'

export type ScenarioResult = { readonly faultPlan: FaultPlan } | { readonly problem: string }

const DIRECTIVE = /^([a-z]+(?:-[a-z]+)*)(?:-(\d{1,12}))?$/
const DIRECTIVES_MAX = 16

/** Applies `name`, `name-figure` or several joined by `+` to a plan; later ones win. */
export function parseScenario(faultPlan: FaultPlan, scenario: string): ScenarioResult {
  const directives = scenario.split('+')
  if (directives.length > DIRECTIVES_MAX)
    return { problem: `found ${directives.length} faults, at most ${DIRECTIVES_MAX} are allowed` }
  let changed = faultPlan
  for (const directive of directives) {
    const reading = readDirective(changed, directive.trim())
    if ('problem' in reading) return reading
    changed = reading.faultPlan
  }
  return { faultPlan: changed }
}

function readDirective(faultPlan: FaultPlan, directive: string): ScenarioResult {
  const [, name = '', digits] = DIRECTIVE.exec(directive) ?? []
  const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined
  if (!fault) return { problem: `the lab knows no fault '${directive}'; GET / lists them` }
  if (digits !== undefined && !fault.figure)
    return { problem: `the fault '${name}' takes no figure, found ${digits}` }
  const figure = digits === undefined ? (fault.figure?.usual ?? 0) : Number(digits)
  if (fault.figure && figure > fault.figure.most)
    return { problem: `the figure of '${name}' may be at most ${fault.figure.most}, found ${figure}` }
  return { faultPlan: { ...faultPlan, ...fault.change(figure) } }
}

/** The places in which a request may ask for faults, from the weakest to the strongest. */
export interface ScenarioSources {
  /** Set by control. */
  readonly namespace: string
  /** `…/fault/SCRIPT/…` */
  readonly path: string
  /** The header `x-lab`. */
  readonly header: string
  /** A key `lab-SCRIPT`; a key that is no script is just a key. */
  readonly key: string
}

const PREFIX = 'lab-'
const MARKER = /\[lab:([^\]]*)\]/

/** What the request asks for before its body is read. */
export function faultPlanOfRequest({ namespace, path, header, key }: ScenarioSources): ScenarioResult {
  let faultPlan: FaultPlan = DEFAULT_FAULT_PLAN
  for (const scenario of [namespace, path, header]) {
    const reading = scenario === '' ? { faultPlan } : parseScenario(faultPlan, scenario)
    if ('problem' in reading) return reading
    faultPlan = reading.faultPlan
  }
  const asKey = key.startsWith(PREFIX) ? parseScenario(faultPlan, key.slice(PREFIX.length)) : { faultPlan }
  return 'problem' in asKey ? { faultPlan } : asKey
}

/** Adds what the model's name and the marker in the last message ask for. */
export function faultPlanOfPrompt(faultPlan: FaultPlan, ask: LabRequest): ScenarioResult {
  const byModel = ask.model.startsWith(PREFIX)
    ? parseScenario(faultPlan, ask.model.slice(PREFIX.length))
    : { faultPlan }
  const marker = ask.lastText.includes('[lab:') ? MARKER.exec(ask.lastText)?.[1] : undefined
  if ('problem' in byModel || marker === undefined) return byModel
  return parseScenario(byModel.faultPlan, marker)
}
