import type { Database } from '../db/database.ts'
import { listHolders, listOpenHolds } from '../db/holds.ts'
import { deleteProcess, listHeartbeats } from '../db/processes.ts'
import { elapsedMs } from '../kernel/clock.ts'
import { quota } from '../kernel/money.ts'
import type { Ledger } from './ledger.ts'

interface Recovery {
  readonly db: Database
  readonly ledger: Ledger
  /** The process that looks after the others. Its own holds are never touched. */
  readonly processId: string
}

interface Sight {
  readonly seenAt: number | undefined
  readonly sinceMs: number
}

/** A process that has not said for this long that it lives is taken for dead. */
export const HOLD_LEASE_MS = 30_000
const HOLDS_PER_LOT = 500

/**
 * Releases the holds of processes that are gone; gives how many. Call it again and again: a process counts as gone
 * when its heartbeat has not changed for HOLD_LEASE_MS as this process measures it, so that clocks need not agree.
 */
export function watchForAbandonedHolds(recovery: Recovery): () => Promise<number> {
  const sights = new Map<string, Sight>()
  return async () => {
    const heartbeats = await listHeartbeats(recovery.db)
    const holders = await listHolders(recovery.db)
    const others = [...new Set([...heartbeats.keys(), ...holders])].filter(id => id !== recovery.processId)
    let released = 0
    for (const id of others)
      if (isGone(sights, id, heartbeats.get(id))) released += await releaseHoldsOf(recovery, id)
    for (const id of sights.keys()) if (!others.includes(id)) sights.delete(id)
    return released
  }
}

/** For a database that only one process can use: at its start every hold of another is abandoned. Gives how many. */
export async function releaseAllAbandonedHolds(recovery: Recovery): Promise<number> {
  let released = 0
  for (const id of await listHolders(recovery.db))
    if (id !== recovery.processId) released += await releaseHoldsOf(recovery, id)
  return released
}

function isGone(sights: Map<string, Sight>, id: string, seenAt: number | undefined): boolean {
  const before = sights.get(id)
  if (!before || before.seenAt !== seenAt) {
    sights.set(id, { seenAt, sinceMs: elapsedMs() })
    return false
  }
  return elapsedMs() - before.sinceMs >= HOLD_LEASE_MS
}

async function releaseHoldsOf({ db, ledger }: Recovery, processId: string): Promise<number> {
  let released = 0
  for (;;) {
    const holds = await listOpenHolds(db, processId, HOLDS_PER_LOT)
    if (holds.length === 0) break
    await Promise.all(
      holds.map(row =>
        ledger.release({
          requestId: row.request_id,
          userId: row.user_id,
          tokenId: row.token_id,
          isTokenLimited: row.is_token_limited === 1,
          amount: quota(row.amount),
        }),
      ),
    )
    released += holds.length
  }
  await deleteProcess(db, processId)
  return released
}
