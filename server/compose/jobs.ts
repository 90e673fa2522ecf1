import { startBackups } from '#features/backups/server/backups.ts'
import { applyDuePrices } from '#features/price-updates/server/apply.ts'
import { readDailyFeed } from '#features/price-updates/server/daily.ts'
import { startPriceFeed } from '#features/price-updates/server/daily-job.ts'
import { startOrderReconciliation } from '#features/top-ups/server/reconcile.ts'
import type { Config } from '../config/config.ts'
import { programCommand } from '../core/executable.ts'
import { startCacheRefresh } from '../db/engine/cached-value.ts'
import { startAnalytics } from '../jobs/analytics.ts'
import { startLogPartitioning, startRollUps } from '../jobs/log-maintenance.ts'
import { startHoldRecovery } from '../jobs/recover-holds.ts'
import type { Store } from './store.ts'

/** Background jobs. */
interface Jobs {
  readonly backups: ReturnType<typeof startBackups>
  /** How many processes share the database. */
  processCount(): number
  /** Whether the database takes writes, as of the last heartbeat. */
  isWriting(): boolean
  /** Stops the jobs, then the ledger, and deregisters this process last: money stops moving before its recovery stops. */
  stop(): Promise<void>
}

/** Resolves when abandoned holds are released and the first request can be served. */
export async function startJobs(store: Store, { backup }: Config): Promise<Jobs> {
  const { settings, channels, ledger } = store
  const stopCacheRefresh = startCacheRefresh([settings, channels], store)
  const presence = await startHoldRecovery(store)
  const stopLogPartitioning = await startLogPartitioning(store)
  const stopRollUps = startRollUps(store)
  const stopAnalytics = startAnalytics(store)
  const stopOrderReconciliation = startOrderReconciliation(store)
  const stopPriceFeed = startPriceUpdates(store)
  const backups = startBackups({ backup, log: store.log, command: programCommand })
  return {
    backups,
    processCount: presence.processCount,
    isWriting: presence.isWriting,
    async stop() {
      await backups.stop()
      await stopRollUps()
      await stopAnalytics()
      await stopLogPartitioning()
      await stopOrderReconciliation()
      await stopPriceFeed()
      await stopCacheRefresh()
      await ledger.close()
      await presence.stop()
    },
  }
}

function startPriceUpdates({ db, settings, integrations, log }: Store): () => Promise<void> {
  const { fetchPriceFeed, rootNotifier } = integrations
  const notify = (differences: number) => rootNotifier.pricesDiffer(differences)
  return startPriceFeed({
    applyDue: () => applyDuePrices(db, log),
    readDaily: () => readDailyFeed({ db, settings, fetchPriceFeed, log, notify }),
    log,
  })
}
