import { existsSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

const NICENESS = 10
/** Linux gives each thread an id like a process: proc(5). */
const THREAD_LINK = '/proc/thread-self'

/** Lowers the priority of this worker thread: relaying goes first when processors are short. */
export function yieldToMainThread(): void {
  if (existsSync(THREAD_LINK)) setPriority(Number(basename(readlinkSync(THREAD_LINK))), NICENESS)
}
