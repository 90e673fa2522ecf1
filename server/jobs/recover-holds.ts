import { elapsedMs, everyMs, nowSeconds } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { countProcesses, deleteProcess, recordHeartbeat } from '../db/system/processes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createHoldRecovery, releaseAllAbandonedHolds } from '../ledger/recovery.ts'

interface HoldRecoveryDeps {
  readonly db: Database
  readonly engine: Engine
  readonly ledger: Ledger
  readonly log: Logger
  readonly processId: string
}

/** This process's registration among the processes of the database. */
interface ProcessPresence {
  /** The number of processes as of the last heartbeat; at least 1. */
  processCount(): number
  /** Whether the last heartbeat could be written. A process that cannot write it cannot charge anybody either. */
  isWriting(): boolean
  /** Stops the job and deregisters this process. Call it after the ledger is closed. */
  stop(): Promise<void>
}

/** More often on PostgreSQL, where other processes release the holds of a dead one within 30 s of its last heartbeat. */
const HEARTBEAT_MS: Readonly<Record<Engine, number>> = { sqlite: 5000, postgres: 2000 }
/**
 * While the ledger fails to write, the heartbeat is written on every tick: on a full disk a single page may still fit
 * where a request does not. That goes on until the heartbeat fails too, or the ledger recovers.
 */
const TICK_MS = 1000

/**
 * Writes a heartbeat every few seconds. Releases the holds of processes whose heartbeat has stopped: on PostgreSQL again and
 * again, on SQLite all holds of the previous process before it resolves. Call it before the first request.
 */
export async function startHoldRecovery(deps: HoldRecoveryDeps): Promise<ProcessPresence> {
  const { db, engine, ledger, log, processId } = deps
  await recordHeartbeat(db, processId, nowSeconds())
  if (engine === 'sqlite') logReleased(log, await releaseAllAbandonedHolds(deps))
  // A SQLite file has one server, whose predecessor left the only holds to release.
  const stopRelease = engine === 'postgres' ? startRelease(deps) : async () => undefined
  let processCount = await countProcesses(db)
  let isWriting = true
  let lastBeatAtMs = elapsedMs()
  const stopHeartbeat = everyMs(TICK_MS, async () => {
    const isUrgent = isWriting && ledger.isFailing()
    if (!isUrgent && elapsedMs() - lastBeatAtMs < HEARTBEAT_MS[engine]) return
    lastBeatAtMs = elapsedMs()
    try {
      await recordHeartbeat(db, processId, nowSeconds())
      processCount = await countProcesses(db)
      isWriting = true
    } catch (error) {
      isWriting = false
      log.error('the heartbeat could not be written', { error })
    }
  })
  return {
    processCount: () => Math.max(processCount, 1),
    isWriting: () => isWriting,
    async stop() {
      await stopRelease()
      await stopHeartbeat()
      await deregister(deps)
    },
  }
}

/** Separate from the heartbeat: releasing many holds, or a locked one, must not make this process look dead itself. */
function startRelease(deps: HoldRecoveryDeps): () => Promise<void> {
  const { log } = deps
  const releaseAbandoned = createHoldRecovery(deps)
  return everyMs(TICK_MS, async () => {
    try {
      logReleased(log, await releaseAbandoned())
    } catch (error) {
      log.error('holds of dead processes could not be released', { error })
    }
  })
}

/** If this fails, the other processes or the next start notice that the heartbeat has stopped. */
async function deregister({ db, log, processId }: HoldRecoveryDeps): Promise<void> {
  try {
    await deleteProcess(db, processId)
  } catch (error) {
    log.error('this process could not be deregistered', { error })
  }
}

function logReleased(log: Logger, released: number): void {
  if (released > 0) log.warn('holds of a dead process were released', { released })
}
