import { elapsedMs } from '../core/clock.ts'
import { quota } from '../core/money.ts'
import { listHoldProcessIds, listOpenHolds } from '../db/billing/holds.ts'
import type { Database } from '../db/engine/database.ts'
import { deleteProcess, deleteStaleProcess, hasHeartbeat, listHeartbeats } from '../db/system/processes.ts'
import type { Ledger } from './ledger.ts'

interface HoldRecovery {
  readonly db: Database
  readonly ledger: Ledger
  /** The process that runs the recovery. It never releases its own holds. */
  readonly processId: string
}

interface HeartbeatObservation {
  /** Undefined for a process that has holds but no row of its own. */
  readonly heartbeatAt: number | undefined
  readonly sinceMs: number
}

/**
 * A process whose heartbeat has not changed for this long is considered dead. A living one is silent for 27 s at most:
 * heartbeats are up to 3 s apart, a statement without a response is given up after 21 s, its connection is closed within
 * 2 s, and the next attempt follows within a second. With a check every second, holds are released within 30 s.
 */
export const HOLD_LEASE_MS = 28_000
/**
 * After a longer gap between two checks all observations are dropped: this process was paused, or no process could reach
 * the database, so an unchanged heartbeat proves nothing.
 */
export const CHECK_GAP_MS_MAX = 15_000
const HOLDS_PER_BATCH = 500

/**
 * Creates a check that releases the holds of dead processes and returns how many. Call it every second.
 *
 * A process is dead when its heartbeat has not changed for HOLD_LEASE_MS of consecutive checks. Only the clock of this
 * process measures that time, so the clocks need not agree.
 */
export function createHoldRecovery(recovery: HoldRecovery): () => Promise<number> {
  const observations = new Map<string, HeartbeatObservation>()
  let lastCheckMs = elapsedMs()
  return async () => {
    const heartbeats = await listHeartbeats(recovery.db)
    const holdProcessIds = await listHoldProcessIds(recovery.db)
    if (elapsedMs() - lastCheckMs > CHECK_GAP_MS_MAX) observations.clear()
    lastCheckMs = elapsedMs()
    const others = new Set([...heartbeats.keys(), ...holdProcessIds])
    others.delete(recovery.processId)
    let released = 0
    for (const id of others)
      if (isStale(observations, id, heartbeats.get(id)))
        released += await releaseHoldsOfStale(recovery, id, heartbeats.get(id))
    for (const id of observations.keys()) if (!others.has(id)) observations.delete(id)
    return released
  }
}

/**
 * Releases the holds of all other processes and returns how many. Only for the start on a database that a single process
 * can use, where every other process is dead.
 */
export async function releaseAllAbandonedHolds(recovery: HoldRecovery): Promise<number> {
  let released = 0
  for (const id of await listHoldProcessIds(recovery.db)) {
    if (id === recovery.processId) continue
    await deleteProcess(recovery.db, id)
    released += await releaseHoldsOf(recovery, id)
  }
  return released
}

function isStale(
  observations: Map<string, HeartbeatObservation>,
  id: string,
  heartbeatAt: number | undefined,
): boolean {
  const observation = observations.get(id)
  if (!observation || observation.heartbeatAt !== heartbeatAt) {
    observations.set(id, { heartbeatAt, sinceMs: elapsedMs() })
    return false
  }
  return elapsedMs() - observation.sinceMs >= HOLD_LEASE_MS
}

async function releaseHoldsOfStale(
  recovery: HoldRecovery,
  id: string,
  heartbeatAt: number | undefined,
): Promise<number> {
  if (heartbeatAt !== undefined) await deleteStaleProcess(recovery.db, id, heartbeatAt)
  return releaseHoldsOf(recovery, id)
}

/** Releases batch after batch until no hold is left, or the process sends a heartbeat after all. */
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
