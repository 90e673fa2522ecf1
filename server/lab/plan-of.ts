import type { Ask } from './operation.ts'
import { type Plan, USUAL_PLAN } from './plan.ts'
import { readScript, type ScriptReading } from './read-script.ts'

/** The places in which a request may ask for faults, from the weakest to the strongest. */
export interface ScriptSources {
  /** Set by control. */
  readonly lane: string
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
export function planOfRequest({ lane, path, header, key }: ScriptSources): ScriptReading {
  let plan: Plan = USUAL_PLAN
  for (const script of [lane, path, header]) {
    const reading = script === '' ? { plan } : readScript(plan, script)
    if ('problem' in reading) return reading
    plan = reading.plan
  }
  const asKey = key.startsWith(PREFIX) ? readScript(plan, key.slice(PREFIX.length)) : { plan }
  return 'problem' in asKey ? { plan } : asKey
}

/** Adds what the model's name and the marker in the last message ask for. */
export function planOfAsk(plan: Plan, ask: Ask): ScriptReading {
  const byModel = ask.model.startsWith(PREFIX) ? readScript(plan, ask.model.slice(PREFIX.length)) : { plan }
  const marker = ask.lastText.includes('[lab:') ? MARKER.exec(ask.lastText)?.[1] : undefined
  if ('problem' in byModel || marker === undefined) return byModel
  return readScript(byModel.plan, marker)
}
