import { COST_MS_MAX, measureAttacks } from '../tests/load/attacks/measure-attacks.ts'

/** Prints what each call of a user without money costs the main thread, the dearest first. Exits with 1 above the limit. */
async function main(): Promise<number> {
  const costs = (await measureAttacks()).toSorted((a, b) => b.ms - a.ms)
  for (const { name, status, ms } of costs) process.stdout.write(`${ms.toFixed(1)} ms  ${status}  ${name}\n`)
  return costs.every(({ ms }) => ms <= COST_MS_MAX) ? 0 : 1
}

process.exit(await main())
