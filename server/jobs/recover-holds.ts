import { elapsedMs, everyMs, nowSeconds } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { countProcesses, deleteProcess, recordHeartbeat } from '../db/system/processes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { releaseAllAbandonedHolds, createHoldRecovery } from '../ledger/recovery.ts'

interface HoldRecovery {
  readonly db: Database
  readonly engine: Engine
  readonly ledger: Ledger
  readonly log: Logger
  readonly processId: string
}

/** This process among those that share the database. */
interface Presence {
  /** How many there are, as of the last heartbeat. At least 1. */
  processes(): number
  /** Whether the last heartbeat could be written: whoever cannot write it can charge nobody. */
  isWriting(): boolean
  /** Stops the work and signs this one off: call it after the ledger is closed. */
  stop(): Promise<void>
}

const HEARTBEAT_MS = 5000
/**
 * While requests cannot be written the heartbeat comes as often: a single page may find room on a disk that is full to
 * them. It is tried again until there is none, or room for all.
 */
const TICK_MS = 500

/**
 * Says every few seconds that this process lives, and releases the holds of those that do not say so any more.
 * Resolves after the first heartbeat and, on SQLite, after every hold of the former process is released: call it
 * before the first request.
 */
export async function startHoldRecovery(recovery: HoldRecovery): Promise<Presence> {
  const { db, engine, ledger, log, processId } = recovery
  await recordHeartbeat(db, processId, nowSeconds())
  if (engine === 'sqlite') report(log, await releaseAllAbandonedHolds(recovery))
  const stopRecovery = startRecovery(recovery)
  let processes = await countProcesses(db)
  let isWriting = true
  let beatAtMs = elapsedMs()
  const stopHeartbeat = everyMs(TICK_MS, async () => {
    const isHurried = isWriting && ledger.isFailing()
    if (!isHurried && elapsedMs() - beatAtMs < HEARTBEAT_MS) return
    beatAtMs = elapsedMs()
    try {
      await recordHeartbeat(db, processId, nowSeconds())
      processes = await countProcesses(db)
      isWriting = true
    } catch (error) {
      isWriting = false
      log.error('the heartbeat could not be written', { error })
    }
  })
  return {
    processes: () => Math.max(processes, 1),
    isWriting: () => isWriting,
    async stop() {
      await stopRecovery()
      await stopHeartbeat()
      await signOff(recovery)
    },
  }
}

/** Beside the heartbeat: many holds, or one that somebody keeps locked, must not make this process look dead itself. */
function startRecovery(recovery: HoldRecovery): () => Promise<void> {
  const { log } = recovery
  const releaseAbandoned = createHoldRecovery(recovery)
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return everyMs(TICK_MS, async () => {
    if (elapsedMs() - lookedAtMs < HEARTBEAT_MS) return
    lookedAtMs = elapsedMs()
    try {
      report(log, await releaseAbandoned())
    } catch (error) {
      log.error('holds of processes that are gone could not be released', { error })
    }
  })
}

/** When it cannot be written, the next start or the others find out: the heartbeat has stopped. */
async function signOff({ db, log, processId }: HoldRecovery): Promise<void> {
  try {
    await deleteProcess(db, processId)
  } catch (error) {
    log.error('this process could not sign off', { error })
  }
}

function report(log: Logger, released: number): void {
  if (released > 0) log.warn('holds of a process that is gone were released', { released })
}
