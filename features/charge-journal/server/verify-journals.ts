import { createSecrets } from '#server/core/crypto.ts'
import type { Proof, VerifyContext } from '#server/feature.ts'
import { journalFolderOf, listJournals, readJournalFile } from './journal-folder.ts'
import type { JournalRecord } from './journal-format.ts'
import { readInstallation } from './queries.ts'
import { findMissing } from './replay.ts'

const SHOWN_MAX = 100
const MS_PER_SECOND = 1000

/** Compares the journals of this machine with the database, and names the charges that it lacks. */
export async function verifyJournals({ database, config }: VerifyContext): Promise<Proof> {
  if (database.engine === 'sqlite') return { drift: 0, lines: [] }
  const installation = await readInstallation(database.db, createSecrets(config.secretKey))
  const paths = listJournals(journalFolderOf(config.dataDir)).flatMap(journal => journal.paths)
  const contents = await Promise.all(paths.map(path => readJournalFile(path, installation)))
  const records = contents.flatMap(file => file?.records ?? []).sort((a, b) => a.at - b.at)
  const { charges, orphans } = await findMissing(database.db, records)
  const missing = [...charges, ...orphans].sort((a, b) => a.at - b.at)
  const foreign = paths.filter((_, index) => contents[index] === undefined)
  return {
    drift: missing.length,
    lines: [
      ...missing.slice(0, SHOWN_MAX).map(missingText),
      ...foreign.map(path => `${path} is a journal of another installation and was not read`),
      ...provenText(records, missing),
    ],
  }
}

const missingText = ({ at, command }: JournalRecord): string =>
  `request ${command.hold.requestId} of user ${command.hold.userId}, charged ${
    command.kind === 'settle' ? command.bill.amount : 0
  } at ${timeText(at)}, is in a journal of this machine and not in the database`

/** Without a journal nothing is known of what a failover lost. */
function provenText(records: readonly JournalRecord[], missing: readonly JournalRecord[]): readonly string[] {
  const [first, last] = [records.at(0), records.at(-1)]
  if (!first || !last)
    return ['There are no journals on this machine: they would show charges that a failover lost.']
  const [lost] = missing
  return lost
    ? [
        `The journals of this machine prove every charge from ${timeText(first.at)} until ${timeText(lost.at)}.`,
        'A gateway that starts on this machine brings the missing charges back.',
      ]
    : [
        `The journals of this machine prove every charge from ${timeText(first.at)} until ${timeText(last.at)}.`,
      ]
}

const timeText = (seconds: number): string => new Date(seconds * MS_PER_SECOND).toISOString()
