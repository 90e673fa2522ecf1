import { elapsedMs } from '../core/clock.ts'
import { quota } from '../core/money.ts'
import { listHoldProcessIds, listOpenHolds } from '../db/billing/holds.ts'
import type { Database } from '../db/engine/database.ts'
import { deleteProcess, deleteStaleProcess, hasHeartbeat, listHeartbeats } from '../db/system/processes.ts'
import type { Ledger } from './ledger.ts'

interface HoldRecovery {
  readonly db: Database
  readonly ledger: Ledger
  /** The process that looks after the others. Its own holds are never touched. */
  readonly processId: string
}

interface HeartbeatObservation {
  readonly seenAt: number | undefined
  readonly sinceMs: number
}

/** A process that has not said for this long that it lives is taken for dead. */
export const HOLD_LEASE_MS = 30_000
/** Who has not looked for longer was away itself, as all are while the database is: what it saw before says nothing. */
export const CHECK_GAP_MS_MAX = 15_000
const HOLDS_PER_BATCH = 500

/**
 * Releases the holds of processes that are gone; gives how many. Call it every few seconds: a process counts as gone when
 * its heartbeat has not changed for HOLD_LEASE_MS in which this one looked again and again, as this one measures it, so
 * that clocks need not agree.
 */
export function createHoldRecovery(recovery: HoldRecovery): () => Promise<number> {
  const sights = new Map<string, HeartbeatObservation>()
  let lookedAtMs = elapsedMs()
  return async () => {
    const heartbeats = await listHeartbeats(recovery.db)
    const holders = await listHoldProcessIds(recovery.db)
    if (elapsedMs() - lookedAtMs > CHECK_GAP_MS_MAX) sights.clear()
    lookedAtMs = elapsedMs()
    const others = [...new Set([...heartbeats.keys(), ...holders])].filter(id => id !== recovery.processId)
    let released = 0
    for (const id of others)
      if (isStale(sights, id, heartbeats.get(id)))
        released += await releaseHoldsOfStale(recovery, id, heartbeats.get(id))
    keepOnly(others, sights)
    return released
  }
}

/** For a database that only one process can use: at its start every hold of another is abandoned. Gives how many. */
export async function releaseAllAbandonedHolds(recovery: HoldRecovery): Promise<number> {
  let released = 0
  for (const id of await listHoldProcessIds(recovery.db)) {
    if (id === recovery.processId) continue
    await deleteProcess(recovery.db, id)
    released += await releaseHoldsOf(recovery, id)
  }
  return released
}

function keepOnly(ids: readonly string[], sights: Map<string, HeartbeatObservation>): void {
  for (const id of sights.keys()) if (!ids.includes(id)) sights.delete(id)
}

function isStale(sights: Map<string, HeartbeatObservation>, id: string, seenAt: number | undefined): boolean {
  const before = sights.get(id)
  if (!before || before.seenAt !== seenAt) {
    sights.set(id, { seenAt, sinceMs: elapsedMs() })
    return false
  }
  return elapsedMs() - before.sinceMs >= HOLD_LEASE_MS
}

async function releaseHoldsOfStale(
  recovery: HoldRecovery,
  id: string,
  seenAt: number | undefined,
): Promise<number> {
  if (seenAt !== undefined) await deleteStaleProcess(recovery.db, id, seenAt)
  return releaseHoldsOf(recovery, id)
}

/** Lot by lot, until none is left or the process says that it lives after all. */
async function releaseHoldsOf({ db, ledger }: HoldRecovery, processId: string): Promise<number> {
  let released = 0
  while (!(await hasHeartbeat(db, processId))) {
    const holds = await listOpenHolds(db, processId, HOLDS_PER_BATCH)
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
