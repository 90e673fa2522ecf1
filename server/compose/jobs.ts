import { startCacheRefresh } from '../db/engine/cached-value.ts'
import type { Job } from '../feature.ts'
import { startAnalytics } from '../jobs/analytics.ts'
import { startLogPartitioning, startRollUps } from '../jobs/log-maintenance.ts'
import { startHoldRecovery } from '../jobs/recover-holds.ts'
import type { Store } from './store.ts'

/** Background jobs. */
interface Jobs {
  /** How many processes share the database. */
  processCount(): number
  /** Whether the database takes writes, as of the last heartbeat. */
  isWriting(): boolean
  /** Stops the jobs, then the ledger, and deregisters this process last: money stops moving before its recovery stops. */
  stop(): Promise<void>
}

/** Resolves when abandoned holds are released and the first request can be served. `others`: the jobs of features. */
export async function startJobs(store: Store, others: readonly Job[]): Promise<Jobs> {
  const { settings, channels, ledger } = store
  const stopCacheRefresh = startCacheRefresh([settings, channels], store)
  const presence = await startHoldRecovery(store)
  const stopLogPartitioning = await startLogPartitioning(store)
  const stopRollUps = startRollUps(store)
  const stopAnalytics = startAnalytics(store)
  const stopOthers = others.map(start => start())
  return {
    processCount: presence.processCount,
    isWriting: presence.isWriting,
    async stop() {
      await Promise.all(stopOthers.map(stop => stop()))
      await stopRollUps()
      await stopAnalytics()
      await stopLogPartitioning()
      await stopCacheRefresh()
      await ledger.close()
      await presence.stop()
    },
  }
}
