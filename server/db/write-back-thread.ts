import { Database as SqliteFile } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Journal, Wish } from './write-back.ts'

/** 800 KiB. Fewer are left for later: a pass waits for the disk twice. */
const WORTHWHILE_PAGES = 200

const file = new SqliteFile(String(workerData), { readwrite: true })
file.exec('pragma synchronous = normal')

parentPort?.on('message', (wish: Wish) => {
  try {
    parentPort?.postMessage({ journal: fulfil(wish) })
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) })
  }
})

function fulfil(wish: Wish): Journal | null {
  if (wish === 'end') file.close()
  if (wish === 'end') return null
  const seen = ask('noop')
  const isWorthwhile = seen !== null && seen.log - seen.checkpointed >= WORTHWHILE_PAGES
  return isWorthwhile || wish === 'copy all' ? ask('passive') : seen
}

const ask = (mode: 'noop' | 'passive') => file.query<Journal, []>(`pragma wal_checkpoint(${mode})`).get()
