import { elapsedMs } from '../core/clock.ts'
import { quota } from '../core/money.ts'
import type { Database } from '../db/database.ts'
import { listHolders, listOpenHolds } from '../db/holds.ts'
import { deleteProcess, deleteSilentProcess, hasHeartbeat, listHeartbeats } from '../db/processes.ts'
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
/** Who has not looked for longer was away itself, as all are while the database is: what it saw before says nothing. */
export const LOOKS_APART_MS_MAX = 15_000
const HOLDS_PER_LOT = 500

/**
 * Releases the holds of processes that are gone; gives how many. Call it every few seconds: a process counts as gone when
 * its heartbeat has not changed for HOLD_LEASE_MS in which this one looked again and again, as this one measures it, so
 * that clocks need not agree.
 */
export function watchForAbandonedHolds(recovery: Recovery): () => Promise<number> {
  const sights = new Map<string, Sight>()
  let lookedAtMs = elapsedMs()
  return async () => {
    const heartbeats = await listHeartbeats(recovery.db)
    const holders = await listHolders(recovery.db)
    if (elapsedMs() - lookedAtMs > LOOKS_APART_MS_MAX) sights.clear()
    lookedAtMs = elapsedMs()
    const others = [...new Set([...heartbeats.keys(), ...holders])].filter(id => id !== recovery.processId)
    let released = 0
    for (const id of others)
      if (isGone(sights, id, heartbeats.get(id)))
        released += await releaseHoldsOfSilent(recovery, id, heartbeats.get(id))
    forgetAllBut(others, sights)
    return released
  }
}

/** For a database that only one process can use: at its start every hold of another is abandoned. Gives how many. */
export async function releaseAllAbandonedHolds(recovery: Recovery): Promise<number> {
  let released = 0
  for (const id of await listHolders(recovery.db)) {
    if (id === recovery.processId) continue
    await deleteProcess(recovery.db, id)
    released += await releaseHoldsOf(recovery, id)
  }
  return released
}

function forgetAllBut(ids: readonly string[], sights: Map<string, Sight>): void {
  for (const id of sights.keys()) if (!ids.includes(id)) sights.delete(id)
}

function isGone(sights: Map<string, Sight>, id: string, seenAt: number | undefined): boolean {
  const before = sights.get(id)
  if (!before || before.seenAt !== seenAt) {
    sights.set(id, { seenAt, sinceMs: elapsedMs() })
    return false
  }
  return elapsedMs() - before.sinceMs >= HOLD_LEASE_MS
}

async function releaseHoldsOfSilent(
  recovery: Recovery,
  id: string,
  seenAt: number | undefined,
): Promise<number> {
  if (seenAt !== undefined) await deleteSilentProcess(recovery.db, id, seenAt)
  return releaseHoldsOf(recovery, id)
}

/** Lot by lot, until none is left or the process says that it lives after all. */
async function releaseHoldsOf({ db, ledger }: Recovery, processId: string): Promise<number> {
  let released = 0
  while (!(await hasHeartbeat(db, processId))) {
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
  return released
}
