import { COST_MS_MAX, measureAttacks } from '../tests/load/attacks/measure-attacks.ts'
import { MINUTE_MS_MAX } from '../tests/load/attacks/measure-minutes.ts'
import { measureOthers, OTHERS_MEMORY_MB_MAX, OTHERS_P99_MS_MAX } from './attack-others.ts'

/**
 * Prints what each call of a user without money costs the main thread, and what such a user can make it do in a minute with
 * calls of that kind, the dearest first. `--others`: what another user waits meanwhile. Exits with 1 above the limits.
 */
function main(): Promise<number> {
  return process.argv.includes('--others') ? printOthers() : printCosts()
}

async function printCosts(): Promise<number> {
  const costs = (await measureAttacks()).toSorted((a, b) => b.minuteMs - a.minuteMs || b.ms - a.ms)
  for (const { name, status, ms, minuteMs } of costs)
    process.stdout.write(`${ms.toFixed(1)} ms  ${minuteMs.toFixed(0)} ms in a minute  ${status}  ${name}\n`)
  return costs.every(({ ms, minuteMs }) => ms <= COST_MS_MAX && minuteMs <= MINUTE_MS_MAX) ? 0 : 1
}

async function printOthers(): Promise<number> {
  const costs = await measureOthers()
  for (const { name, p99Ms, residentMb } of costs)
    process.stdout.write(`p99 ${p99Ms.toFixed(0)} ms  ${residentMb.toFixed(0)} MB  ${name}\n`)
  const isMet = costs.every(
    ({ p99Ms, residentMb }) => p99Ms < OTHERS_P99_MS_MAX && residentMb < OTHERS_MEMORY_MB_MAX,
  )
  return isMet ? 0 : 1
}

process.exit(await main())
