import { FAULTS } from './faults.ts'
import type { Plan } from './plan.ts'

export type ScriptReading = { readonly plan: Plan } | { readonly problem: string }

const DIRECTIVE = /^([a-z]+(?:-[a-z]+)*)(?:-(\d{1,12}))?$/
const DIRECTIVES_MAX = 16

/** Applies `name`, `name-figure` or several joined by `+` to a plan; later ones win. */
export function readScript(plan: Plan, script: string): ScriptReading {
  const directives = script.split('+')
  if (directives.length > DIRECTIVES_MAX)
    return { problem: `found ${directives.length} faults, at most ${DIRECTIVES_MAX} are allowed` }
  let changed = plan
  for (const directive of directives) {
    const reading = readDirective(changed, directive.trim())
    if ('problem' in reading) return reading
    changed = reading.plan
  }
  return { plan: changed }
}

function readDirective(plan: Plan, directive: string): ScriptReading {
  const [, name = '', digits] = DIRECTIVE.exec(directive) ?? []
  const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined
  if (!fault) return { problem: `the lab knows no fault '${directive}'; GET / lists them` }
  if (digits !== undefined && !fault.figure)
    return { problem: `the fault '${name}' takes no figure, found ${digits}` }
  const figure = digits === undefined ? (fault.figure?.usual ?? 0) : Number(digits)
  if (fault.figure && figure > fault.figure.most)
    return { problem: `the figure of '${name}' may be at most ${fault.figure.most}, found ${figure}` }
  return { plan: { ...plan, ...fault.change(figure) } }
}
