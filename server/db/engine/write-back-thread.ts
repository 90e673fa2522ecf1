import { Database as SqliteFile } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { JournalState, WriteBackCommand } from './write-back.ts'

/** 800 KiB. A shorter journal is left for later, since every pass waits for the disk twice. */
const WORTHWHILE_PAGES = 200

const file = new SqliteFile(String(workerData), { readwrite: true })
file.exec('pragma synchronous = normal')

parentPort?.on('message', (command: WriteBackCommand) => {
  try {
    parentPort?.postMessage({ journal: execute(command) })
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) })
  }
})

function execute(command: WriteBackCommand): JournalState | null {
  if (command === 'close') {
    file.close()
    return null
  }
  const state = checkpoint('noop')
  const isWorthwhile = state !== null && state.log - state.checkpointed >= WORTHWHILE_PAGES
  return isWorthwhile || command === 'copy-all' ? checkpoint('passive') : state
}

const checkpoint = (mode: 'noop' | 'passive') =>
  file.query<JournalState, []>(`pragma wal_checkpoint(${mode})`).get()
