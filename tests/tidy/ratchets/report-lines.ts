import * as jsc from 'bun:jsc'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../../harness/program.ts'

/**
 * One line of a table: path, shares of functions and lines, unexecuted lines. Throws for a file that is not loaded. The
 * runtime's types leave it out.
 */
const describeFile: (path: string) => string = Reflect.get(jsc, 'codeCoverageForFile')

/**
 * Preloaded into a gateway whose engine profiles control flow: on SIGUSR2 writes the unexecuted lines of every file to
 * `LINES_REPORT`.
 */

const files = [...new Bun.Glob('{contract,server,features}/**/*.ts').scanSync(PROJECT)]
/** Turns of the event loop in which a job that has begun ends. */
const TURNS = 100
/** No timer fires: else jobs and the watch for stalls would add their lines, more of them where a machine is slow. */
const start = { timeout: setTimeout, interval: setInterval }
const idle = (): void => undefined
Object.assign(globalThis, {
  setTimeout: (_run: () => void, ms?: number) => start.timeout(idle, ms),
  setInterval: (_run: () => void, ms?: number) => start.interval(idle, ms),
})

process.on('SIGUSR2', async () => {
  const target = process.env.LINES_REPORT
  if (!target) throw new Error('expected LINES_REPORT to name a file')
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise(resolve => setImmediate(resolve))
  writeFileSync(`${target}.part`, JSON.stringify(Object.fromEntries(files.map(unexecutedLines))))
  renameSync(`${target}.part`, target)
})

/** A path and its line ranges, like `1-5,8`: none for a file that is not loaded. */
function unexecutedLines(path: string): readonly [path: string, ranges: string] {
  try {
    return [path, describeFile(join(PROJECT, path)).split('|').at(-1)?.trim() ?? '']
  } catch {
    return [path, '']
  }
}
