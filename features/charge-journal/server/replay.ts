import { startOfRequest } from '#server/core/ids.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import type { JournalRecord } from './journal-format.ts'
import { type ChargedAccount, findChargedRequests, findOpenHolds, listAccounts } from './queries.ts'

/** Clocks of processes differ, and a request starts before it is charged. */
const CLOCK_TOLERANCE_SECONDS = 3600
const CLOSED_AT_ONCE = 256

/** What a journal knows and the database lacks. */
export interface Missing {
  /** Charges of accounts that exist. */
  readonly charges: readonly JournalRecord[]
  /** Holds that are open again, of requests that failed. */
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
  const settled = [...first.values()].filter(({ command }) => command.kind === 'settle')
  const released = [...first.values()].filter(({ command }) => command.kind === 'release')
  const ids = settled.map(requestIdOf)
  const charged =
    ids.length === 0 ? new Set<string>() : await findChargedRequests(db, ids, earliestStart(ids))
  const open = released.length === 0 ? new Set<string>() : await findOpenHolds(db, released.map(requestIdOf))
  const uncharged = settled.filter(record => !charged.has(requestIdOf(record)))
  const accounts = await listAccounts(db, [...new Set(uncharged.map(userIdOf))])
  const isKnown = (record: JournalRecord) => isSameAccount(record, accounts.get(userIdOf(record)))
  return {
    charges: uncharged.filter(isKnown),
    releases: released.filter(record => open.has(requestIdOf(record))),
    orphans: uncharged.filter(record => !isKnown(record)),
  }
}

const earliestStart = (requestIds: readonly string[]): number =>
  requestIds.reduce((earliest, id) => Math.min(earliest, startOfRequest(id)), Number.POSITIVE_INFINITY) -
  CLOCK_TOLERANCE_SECONDS

export const requestIdOf = ({ command }: JournalRecord): string => command.hold.requestId
const userIdOf = ({ command }: JournalRecord): number => command.hold.userId

/** After a failover a number may be given out again. An account may be renamed, but not made after it was charged. */
const isSameAccount = ({ at, command }: JournalRecord, account: ChargedAccount | undefined): boolean =>
  account !== undefined &&
  (account.created_at <= at ||
    (command.kind === 'settle' && command.bill.entry.username === account.username))

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
