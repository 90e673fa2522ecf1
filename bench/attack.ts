import { COST_MS_MAX, measureAttacks } from '../tests/load/attacks/measure-attacks.ts'
import { MINUTE_MS_MAX } from '../tests/load/attacks/measure-minutes.ts'

/**
 * Prints what each call of a user without money costs the main thread, and what such a user can make it do in a minute with
 * calls of that kind, the dearest first. Exits with 1 above the limits.
 */
async function main(): Promise<number> {
  const costs = (await measureAttacks(() => true)).toSorted((a, b) => b.minuteMs - a.minuteMs || b.ms - a.ms)
  for (const { name, status, ms, minuteMs } of costs)
    process.stdout.write(`${ms.toFixed(1)} ms  ${minuteMs.toFixed(0)} ms in a minute  ${status}  ${name}\n`)
  return costs.every(({ ms, minuteMs }) => ms <= COST_MS_MAX && minuteMs <= MINUTE_MS_MAX) ? 0 : 1
}

process.exit(await main())
