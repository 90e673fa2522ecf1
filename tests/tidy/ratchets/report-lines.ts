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

/** Longer than the stalls that the gateway logs. */
const STALL_MS = 300
const STALL_LOGGED_MS = 100
const files = [...new Bun.Glob('{contract,server,features}/**/*.ts').scanSync(PROJECT)]
let isFirst = true

process.on('SIGUSR2', async () => {
  const target = process.env.LINES_REPORT
  if (!target) throw new Error('expected LINES_REPORT to name a file')
  if (isFirst) await executeStallWatch()
  isFirst = false
  writeFileSync(`${target}.part`, JSON.stringify(Object.fromEntries(files.map(unexecutedLines))))
  renameSync(`${target}.part`, target)
})

/** Executes the lines that log a stall and suppress the next one, which a busy machine would otherwise do between reports. */
async function executeStallWatch(): Promise<void> {
  for (let stalls = 0; stalls < 2; stalls += 1) {
    Bun.sleepSync(STALL_MS)
    await Bun.sleep(STALL_LOGGED_MS)
  }
}

/** A path and its line ranges, like `1-5,8`: none for a file that is not loaded. */
function unexecutedLines(path: string): readonly [path: string, ranges: string] {
  try {
    return [path, describeFile(join(PROJECT, path)).split('|').at(-1)?.trim() ?? '']
  } catch {
    return [path, '']
  }
}
