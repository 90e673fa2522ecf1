import { findOpenHolds } from '#server/db/billing/holds.ts'
import { findClosings } from '#server/db/billing/postings.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import type { CloseCommand, LogEntry } from '#server/ledger/ledger-command.ts'
import type { JournalRecord } from './journal-format.ts'
import { type ChargedAccount, listAccounts } from './queries.ts'

const CLOSED_AT_ONCE = 256

/** What a journal knows and the database lacks. */
export interface Missing {
  /** Charges of accounts that exist. */
  readonly charges: readonly JournalRecord[]
  /** Requests that failed: holds that are open again, and log rows that were lost. */
  readonly releases: readonly JournalRecord[]
  /** Charges whose account was lost too, or whose number another one has now. */
  readonly orphans: readonly JournalRecord[]
}

/** Compares records with the database. The first record of a request counts, as it did in the ledger. */
export async function findMissing(db: Database, records: readonly JournalRecord[]): Promise<Missing> {
  const first = new Map<string, JournalRecord>()
  for (const record of records) {
    const { requestId } = record.command.hold
    if (!first.has(requestId)) first.set(requestId, record)
  }
  const ids = [...first.keys()]
  const found = { closings: await findClosings(db, ids), open: await findOpenHolds(db, ids) }
  const open = new Set(found.open.map(({ request_id }) => request_id))
  const closed = new Set(found.closings.map(({ request_id }) => request_id))
  const charged = new Set(
    found.closings.filter(({ kind }) => kind === 'charge').map(({ request_id }) => request_id),
  )
  const missing = [...first.values()].filter(({ command: { hold, ...command } }) =>
    command.kind === 'settle'
      ? !charged.has(hold.requestId)
      : // A failure that held nothing may have left no posting.
        open.has(hold.requestId) || (command.failure && hold.amount > 0 && !closed.has(hold.requestId)),
  )
  const accounts = await listAccounts(db, [...new Set(missing.map(userIdOf))])
  const isKnown = (record: JournalRecord) => isSameAccount(record, accounts.get(userIdOf(record)))
  return {
    charges: missing.filter(record => isCharge(record) && isKnown(record)),
    releases: missing.filter(record => !isCharge(record) && isKnown(record)),
    orphans: missing.filter(record => isCharge(record) && !isKnown(record)),
  }
}

const isCharge = ({ command }: JournalRecord): boolean => command.kind === 'settle'
const userIdOf = ({ command }: JournalRecord): number => command.hold.userId

/** After a failover a number may be given out again. An account may be renamed, but not made after it was charged. */
const isSameAccount = ({ at, command }: JournalRecord, account: ChargedAccount | undefined): boolean =>
  account !== undefined && (account.created_at <= at || findEntry(command)?.username === account.username)

const findEntry = (command: CloseCommand): LogEntry | undefined =>
  command.kind === 'settle' ? command.bill.entry : command.failure?.entry

/** Charges and releases what is missing. Safe to repeat, and to run in several processes: the ledger charges a request once. */
export async function replay({ charges, releases }: Missing, ledger: Ledger): Promise<void> {
  const records = [...charges, ...releases]
  for (let start = 0; start < records.length; start += CLOSED_AT_ONCE)
    await Promise.all(records.slice(start, start + CLOSED_AT_ONCE).map(record => close(record, ledger)))
}

const close = ({ command }: JournalRecord, ledger: Ledger): Promise<unknown> =>
  command.kind === 'settle'
    ? ledger.settle(command.hold, command.bill)
    : ledger.release(command.hold, command.failure)
