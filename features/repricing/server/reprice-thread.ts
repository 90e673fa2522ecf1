import { parentPort } from 'node:worker_threads'
import { errorMessage } from '#server/core/errors.ts'
import { yieldToMainThread } from '#server/core/thread-priority.ts'
import { openDatabase } from '#server/db/engine/database.ts'
import { type RepriceJob, repriceLogs } from './reprice-logs.ts'
import type { RepricedSums } from './reprice-totals.ts'

/** Sent once to the thread. */
export interface RepriceRequest {
  /** The location of the database. */
  readonly url: string
  readonly job: RepriceJob
}

/** Exactly one member is set. */
export interface RepriceReply {
  /** From 0 to 1. */
  readonly share?: number
  readonly sums?: RepricedSums
  readonly failure?: string
}

yieldToMainThread()
const reply = (message: RepriceReply) => parentPort?.postMessage(message)

parentPort?.on('message', async ({ url, job }: RepriceRequest) => {
  try {
    const database = openDatabase({ url, durability: 'process', connections: 1 })
    const sums = await repriceLogs(database.db, job, { onProgress: share => reply({ share }) })
    await database.close()
    reply({ sums })
  } catch (error) {
    reply({ failure: errorMessage(error) })
  }
})
