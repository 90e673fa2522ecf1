import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { elapsedMs } from '#server/core/clock.ts'
import { type CrashBenchPlan, runAll } from '../tests/crash/points/run-all.ts'
import type { RunResult } from '../tests/crash/points/run-in-sequence.ts'

const RECOVERY_MS_MAX = 60_000
const SHOWN_EVERY = 50

/**
 * Kills the gateway at every crash point with every seed, restarts it and audits its ledger. Options: `--seeds N` for the
 * number of seeds, `--point TEXT --seed N` to repeat one kill, `--out FILE` for the results.
 */
async function main(): Promise<number> {
  const { plan, file } = readOptions(process.argv.slice(2))
  const startedMs = elapsedMs()
  const results: RunResult[] = []
  for await (const result of runAll(plan)) {
    results.push(result)
    for (const problem of result.problems) print(`${result.name}, seed ${result.seed}: ${problem}`)
    if (results.length % SHOWN_EVERY === 0) print(`${results.length} kills`)
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  const bad = results.filter(isBad)
  print(report(results, (elapsedMs() - startedMs) / 1000))
  return bad.length === 0 && results.length > 0 ? 0 : 1
}

function readOptions(args: readonly string[]): { readonly plan: CrashBenchPlan; readonly file: string } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '40' },
      seed: { type: 'string' },
      point: { type: 'string', default: '' },
      'side-by-side': { type: 'string', default: String(2 * availableParallelism()) },
      out: { type: 'string', default: 'test-results/crash.json' },
    },
  })
  const seeds = values.seed
    ? [Number(values.seed)]
    : Array.from({ length: Number(values.seeds) }, (_, index) => index + 1)
  return {
    plan: { seeds, name: values.point, concurrency: Number(values['side-by-side']) },
    file: values.out,
  }
}

const isBad = ({ problems, recoveryMs }: RunResult): boolean =>
  problems.length > 0 || recoveryMs > RECOVERY_MS_MAX

function report(results: readonly RunResult[], seconds: number): string {
  const points = new Set(results.map(({ name }) => name)).size
  const slowest = Math.max(0, ...results.map(({ recoveryMs }) => recoveryMs))
  return [
    `${results.length} kills at ${points} points in ${Math.round(seconds)} s`,
    `${results.filter(isBad).length} kills left an inconsistency`,
    `after at most ${(slowest / 1000).toFixed(1)} s another process served and no hold was open`,
  ].join('\n')
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
