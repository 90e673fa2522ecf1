import { setPriority } from 'node:os'
import { errorMessage } from '#server/core/errors.ts'
import { openDatabase } from '#server/db/engine/database.ts'
import { type PartNumber, type RepriceJob, repriceLogs } from './reprice-logs.ts'
import type { RepricePart } from './reprice-totals.ts'

/** The argument with which the compiled executable starts as this process. */
export const REPRICE_COMMAND = 'reprice-requests'

/** Sent once to the process, so that no address of a database is seen in the list of processes. */
export interface RepriceRequest {
  /** The location of the database. */
  readonly url: string
  readonly job: RepriceJob
  readonly part: PartNumber
}

/** Exactly one member is set. */
export interface RepriceReply {
  /** From 0 to 1. */
  readonly share?: number
  readonly result?: RepricePart
  readonly failure?: string
}

/** Relaying goes first when processors are short. */
const NICENESS = 10
const READ_ONLY = { default_transaction_read_only: 'on' }

/** The program of a process that charges requests again for the process that started it, and ends with that process. */
export function serveReprice(): void {
  setPriority(NICENESS)
  process.on('message', async (request: RepriceRequest) => {
    process.send?.(await reprice(request, share => process.send?.({ share })))
  })
  process.on('disconnect', () => process.exit(0))
  // A terminal sends these to all its processes, and the parent decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
}

async function reprice(
  { url, job, part }: RepriceRequest,
  onProgress: (share: number) => void,
): Promise<RepriceReply> {
  try {
    const database = openDatabase({ url, durability: 'process', connections: 1, settings: READ_ONLY })
    try {
      return { result: await repriceLogs(database.db, job, { part, onProgress }) }
    } finally {
      await database.close()
    }
  } catch (error) {
    return { failure: errorMessage(error) }
  }
}

if (import.meta.main) serveReprice()
