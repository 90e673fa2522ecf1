import { runTollgate } from './program.ts'

const DRIFT = /^drift\s+(\d+)$/m
const OPEN_HOLDS = /^open holds\s+(\d+)$/m

export interface VerifiedLedger {
  /** Exit code of `tollgate verify`, 0 for a balanced ledger. */
  readonly code: number
  readonly drift: number
  readonly openHolds: number
  readonly output: string
}

/** Runs `tollgate verify`, which works beside a running gateway. */
export async function verifyLedger(environment: Readonly<Record<string, string>>): Promise<VerifiedLedger> {
  const { code, output } = await runTollgate(['verify'], environment)
  return { code, drift: figure(output, DRIFT), openHolds: figure(output, OPEN_HOLDS), output }
}

function figure(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1]
  if (found === undefined) throw new Error(`expected ${pattern} in the report, found: ${output}`)
  return Number(found)
}
