import { everyMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'

const ORDER_INTERVAL_SECONDS = 60
const TASK_INTERVAL_MS = 1000

/** Credits unpaid orders that turn out to be paid. Returns their number. */
type ReconcileOrders<Deps> = (deps: Deps, intervalSeconds: number, signal: AbortSignal) => Promise<number>

/**
 * Checks unpaid orders at the payment provider, since its notification may be lost. The returned function stops the job:
 * it aborts a run in progress and waits for it.
 */
export function startOrderReconciliation<Deps extends { readonly log: Logger }>(
  deps: Deps,
  reconcileOrders: ReconcileOrders<Deps>,
): () => Promise<void> {
  const { log } = deps
  const stopping = new AbortController()
  const stop = everyMs(ORDER_INTERVAL_SECONDS * 1000, async () => {
    try {
      const credited = await reconcileOrders(deps, ORDER_INTERVAL_SECONDS, stopping.signal)
      if (credited > 0) log.warn('paid orders were credited without a notification', { credited })
    } catch (error) {
      log.error('unpaid orders could not be reconciled', { reason: errorMessage(error) })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}

interface TaskPollingDeps {
  /** Polls the tasks that are due once. Returns their number. */
  readonly follow: (signal: AbortSignal) => Promise<number>
  readonly log: Logger
}

/**
 * Polls asynchronous tasks until they finish. The returned function stops the job: it aborts a poll in progress and waits
 * for it. Call it before the ledger is closed.
 */
export function startTaskPolling({ follow, log }: TaskPollingDeps): () => Promise<void> {
  const stopping = new AbortController()
  const stop = everyMs(TASK_INTERVAL_MS, async () => {
    try {
      while (!stopping.signal.aborted && (await follow(stopping.signal)) > 0);
    } catch (error) {
      log.error('tasks could not be polled', { error })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
