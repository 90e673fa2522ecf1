import { elapsedMs, everyMs, nowMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { lockFile } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import type { Journal } from './journal.ts'
import {
  listJournals,
  lockPath,
  type ProcessJournal,
  readJournalFile,
  removeJournal,
  writtenAtMs,
} from './journal-folder.ts'
import { readInstallation, readServerHistory } from './queries.ts'
import { findMissing, replay } from './replay.ts'

const CHECK_MS = 2000
/** Commits that were in flight when the server was lost are known by then. */
const SECOND_LOOK_MS = 30_000
/** A journal of an ended process is of no use once every standby has what it knows. */
const KEPT_MS = 600_000

export interface RecoveryDeps extends Pick<Services, 'db' | 'secrets' | 'log' | 'processId' | 'ledger'> {
  readonly folder: string
  readonly journal: Pick<Journal, 'open'>
}

export interface Recovery {
  /** Charges that were brought back. */
  recovered(): number
  stop(): Promise<void>
}

/**
 * Opens the journal, and brings back what the database has lost: at the start from the journals of processes that have ended, and
 * whenever the history of the server changes from its own too.
 */
export function startRecovery(deps: RecoveryDeps): Recovery {
  const recovery = new ChargeRecovery(deps)
  const first = recovery.check()
  const stop = everyMs(CHECK_MS, () => recovery.check())
  return {
    recovered: () => recovery.recovered,
    async stop() {
      await first
      await stop()
    },
  }
}

/** Exported for tests. */
export class ChargeRecovery {
  recovered = 0
  private readonly deps: RecoveryDeps
  private installation: string | undefined
  private history: string | undefined
  private secondLookMs: number | undefined
  /** Journals of ended processes that were compared since the last change. */
  private readonly compared = new Set<string>()
  private readonly foreign = new Set<string>()

  constructor(deps: RecoveryDeps) {
    this.deps = deps
  }

  /** Never rejects: what fails is tried again at the next check. */
  async check(): Promise<void> {
    const { db, secrets, journal, log } = this.deps
    try {
      if (this.installation === undefined) {
        this.installation = await readInstallation(db, secrets)
        journal.open(this.installation)
      }
      await this.compare(await readServerHistory(db))
    } catch (error) {
      log.warn('the journals of charges could not be compared', { reason: errorMessage(error) })
    }
  }

  private async compare(history: string): Promise<void> {
    const isChanged = history !== this.history
    const isSecondLook = this.secondLookMs !== undefined && elapsedMs() >= this.secondLookMs
    if (isChanged || isSecondLook) {
      this.compared.clear()
      // At the start there is nothing of its own yet.
      if (this.history !== undefined) await this.compareOwn()
      this.secondLookMs = isChanged ? elapsedMs() + SECOND_LOOK_MS : undefined
    }
    for (const journal of listJournals(this.deps.folder)) await this.compareEnded(journal)
    this.history = history
  }

  private async compareOwn(): Promise<void> {
    const own = listJournals(this.deps.folder).find(({ processId }) => processId === this.deps.processId)
    if (own) await this.bringBack(own)
  }

  private async compareEnded(journal: ProcessJournal): Promise<void> {
    const { folder, processId } = this.deps
    if (journal.processId === processId || this.foreign.has(journal.processId)) return
    const unlock = lockFile(lockPath(folder, journal.processId))
    if (!unlock) return
    try {
      if (!this.compared.has(journal.processId)) await this.bringBack(journal)
      this.compared.add(journal.processId)
      const isOld = nowMs() - writtenAtMs(journal) > KEPT_MS
      if (isOld && !this.foreign.has(journal.processId)) removeJournal(folder, journal)
    } finally {
      unlock()
    }
  }

  private async bringBack({ processId, paths }: ProcessJournal): Promise<void> {
    const { db, ledger, log } = this.deps
    for (const path of paths) {
      const contents = await readJournalFile(path, this.installation ?? '')
      if (!contents) {
        this.foreign.add(processId)
        log.error('a journal of charges of another installation is left alone', { path })
        return
      }
      if (contents.damaged > 0)
        log.warn('lines of a journal of charges are damaged', { path, lines: contents.damaged })
      const missing = await findMissing(db, contents.records)
      await replay(missing, ledger)
      this.recovered += missing.charges.length
      if (missing.charges.length + missing.releases.length > 0)
        log.warn('the database had lost charges, which were brought back', {
          path,
          charges: missing.charges.length,
          releases: missing.releases.length,
        })
      for (const { command } of missing.orphans)
        log.error('a lost charge cannot be brought back, since its account was lost too', {
          request_id: command.hold.requestId,
          user_id: command.hold.userId,
        })
    }
  }
}
