import { defineFeature } from '#server/feature.ts'
import { Journal } from './journal.ts'
import { journalFolderOf } from './journal-folder.ts'
import { type Recovery, startRecovery } from './recover-charges.ts'

export const feature = defineFeature({
  verify: async context => (await import('./verify-journals.ts')).verifyJournals(context),
  start({ dataDir, database, metrics, ...services }) {
    // A single server without a standby loses no commit of its own.
    if (database.engine === 'sqlite' || dataDir === undefined) return {}
    const { log, processId, ledger } = services
    const folder = journalFolderOf(dataDir)
    const journal = new Journal({ folder, processId, log })
    ledger.onClosed(commands => journal.record(commands))
    let recovery: Recovery | undefined
    metrics.gauge(
      'tollgate_charge_journal_failing',
      'Whether the journal of charges cannot be written (1).',
      () => (journal.stats().isFailing ? 1 : 0),
    )
    metrics.counter(
      'tollgate_charge_journal_unwritten_total',
      'Closed holds that the journal could not take.',
      () => [[{}, journal.stats().unwritten]],
    )
    metrics.counter(
      'tollgate_recovered_charges_total',
      'Charges that the database had lost and the journal brought back.',
      () => [[{}, recovery?.recovered() ?? 0]],
    )
    return {
      jobs: [
        () => {
          recovery = startRecovery({ ...services, folder, journal })
          return recovery.stop
        },
      ],
    }
  },
})
