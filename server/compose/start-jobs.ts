import { reconcileOrders } from '../api/top-ups/reconcile.ts'
import { startCacheRefresh } from '../db/engine/cached-value.ts'
import { startOrderFollowing } from '../jobs/follow-orders.ts'
import { startLogMonths } from '../jobs/make-log-months.ts'
import { startHoldRecovery } from '../jobs/recover-holds.ts'
import { startRollUps } from '../jobs/roll-up-usage.ts'
import type { Store } from './store.ts'

/** What runs by itself. */
interface Jobs {
  /** How many processes share the database. */
  processes(): number
  /** Whether the database takes writes, as of the last heartbeat. */
  isWriting(): boolean
  /** Ends them, then the ledger, and signs this process off last: what still moves money ends before what looks after it. */
  stop(): Promise<void>
}

/** Resolves when the books are fit for the first request. */
export async function startJobs(store: Store): Promise<Jobs> {
  const { settings, channels, ledger, log } = store
  const stopFreshness = startCacheRefresh([settings, channels], log)
  const presence = await startHoldRecovery(store)
  const stopLogMonths = await startLogMonths(store)
  const stopRollUps = startRollUps(store)
  const stopFollowing = startOrderFollowing(store, reconcileOrders)
  return {
    processes: presence.processes,
    isWriting: presence.isWriting,
    async stop() {
      await stopRollUps()
      await stopLogMonths()
      await stopFollowing()
      await stopFreshness()
      await ledger.close()
      await presence.stop()
    },
  }
}
