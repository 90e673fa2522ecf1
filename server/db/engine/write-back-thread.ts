import { Database as SqliteFile } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { JournalState, WriteBackCommand } from './write-back.ts'

/** 800 KiB. Fewer are left for later: a pass waits for the disk twice. */
const WORTHWHILE_PAGES = 200

const file = new SqliteFile(String(workerData), { readwrite: true })
file.exec('pragma synchronous = normal')

parentPort?.on('message', (wish: WriteBackCommand) => {
  try {
    parentPort?.postMessage({ journal: execute(wish) })
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) })
  }
})

function execute(wish: WriteBackCommand): JournalState | null {
  if (wish === 'end') file.close()
  if (wish === 'end') return null
  const seen = checkpoint('noop')
  const isWorthwhile = seen !== null && seen.log - seen.checkpointed >= WORTHWHILE_PAGES
  return isWorthwhile || wish === 'copy all' ? checkpoint('passive') : seen
}

const checkpoint = (mode: 'noop' | 'passive') =>
  file.query<JournalState, []>(`pragma wal_checkpoint(${mode})`).get()
