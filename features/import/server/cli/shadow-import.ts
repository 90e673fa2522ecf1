import { waitForStopSignal } from '#server/cli/graceful-shutdown.ts'
import { nowMs, sleepMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { ImportReport } from '../import-report.ts'

/** The source may restart meanwhile; one that stays away is not followed for ever. */
const FAILURES_IN_A_ROW_MAX = 10
const TIME_START = 11
const TIME_END = 19

/**
 * Imports again and again while the other gateway serves, and says after each pass whether anything is missing. Resolves
 * with the last report after a stop signal, or rejects with the error of the last of ten passes that failed in a row.
 */
export async function shadowImport(
  importOnce: (signal: AbortSignal) => Promise<ImportReport>,
  everyMs: number,
): Promise<ImportReport | undefined> {
  const stop = new AbortController()
  const stopped = waitForStopSignal().then(() => stop.abort(new Error('stopped')))
  let last: ImportReport | undefined
  let failures = 0
  while (!stop.signal.aborted) {
    try {
      last = await importOnce(stop.signal)
      failures = 0
      say(describePass(last))
    } catch (error) {
      if (stop.signal.aborted) break
      failures += 1
      if (failures === FAILURES_IN_A_ROW_MAX) throw error
      say(`the pass failed and is repeated: ${errorMessage(error)}`)
    }
    await Promise.race([sleepMs(everyMs), stopped])
  }
  return last
}

function say(text: string): void {
  process.stdout.write(`${new Date(nowMs()).toISOString().slice(TIME_START, TIME_END)} ${text}\n`)
}

/** Nothing is missing when a whole pass found everything here already. */
function describePass({ tables }: ImportReport): string {
  const sum = (member: 'brought' | 'changed') =>
    [...tables.values()].reduce((total, table) => total + table[member], 0)
  const [brought, changed] = [sum('brought'), sum('changed')]
  return brought + changed === 0
    ? 'nothing new and nothing changed: a switch loses nothing once the other gateway takes no more requests'
    : `${brought} new, ${changed} changed: the other gateway is in use, so stop it and wait for a pass that finds nothing`
}
