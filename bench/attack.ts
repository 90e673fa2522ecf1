import { COST_MS_MAX, measureAttacks } from '../tests/load/attacks/measure-attacks.ts'
import { MINUTE_MS_MAX, measureMinutes } from '../tests/load/attacks/measure-minutes.ts'

/**
 * Prints what each call of a user without money costs the main thread, and what such a user can make it do in a minute, the
 * dearest first. Exits with 1 above the limits.
 */
async function main(): Promise<number> {
  const costs = (await measureAttacks()).toSorted((a, b) => b.ms - a.ms)
  for (const { name, status, ms } of costs) process.stdout.write(`${ms.toFixed(1)} ms  ${status}  ${name}\n`)
  const minutes = (await measureMinutes(() => true)).toSorted((a, b) => b.minuteMs - a.minuteMs)
  process.stdout.write('\nin a minute\n')
  for (const { name, calls, isStopped, minuteMs } of minutes)
    process.stdout.write(
      `${minuteMs.toFixed(0)} ms  ${isStopped ? `stopped after ${calls}` : 'by its rate'}  ${name}\n`,
    )
  const isMet =
    costs.every(({ ms }) => ms <= COST_MS_MAX) && minutes.every(({ minuteMs: ms }) => ms <= MINUTE_MS_MAX)
  return isMet ? 0 : 1
}

process.exit(await main())
