import { FAULTS } from '#server/lab/faults.ts'
import { faultSights, type Sights } from '../clients/fault-sights.ts'

/** The row of docs/reference/faults.md for a fault of the lab: its effect, and the outcome for clients. */
export function faultRow(script: string): string {
  const fault = FAULTS[script.replace(/-\d+$/, '')]
  const sights = faultSights[script]
  if (!fault || !sights) throw new Error(`the lab has no fault ${script}`)
  return `| \`${script}\` | ${fault.says} | ${reported(sights.jsonResponse)} | ${reported(sights.stream)} |`
}

const WORDS = { served: 'response', broken: 'breaks off' } as const

function reported(sights: Sights): string {
  if (typeof sights === 'number') return String(sights)
  if (typeof sights === 'string') return WORDS[sights]
  return Object.entries(sights)
    .map(([provider, sight]) => `${provider} ${reported(sight)}`)
    .join(', ')
}
