import type { BodyOf } from '#contract/endpoint.ts'
import { add, type Decimal } from '#server/core/money.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { BILL_CHARS_MAX, type createReconciliation, RECONCILED_DAYS_MAX } from '../contract.ts'
import { type BillEntry, type ProviderBill, readBill } from './bills/read-bill.ts'
import { BillError } from './bills/read-csv.ts'
import { findCauses } from './causes.ts'
import { compareCosts, toNanos } from './compare.ts'
import { dayOf, getChannels, isStillCounting, readCosts, rejectLargeAmounts } from './costs.ts'
import { reconciliationError } from './errors.ts'
import { sumCostsByTime } from './queries/cost-reads.ts'
import type { MadeReconciliation } from './result.ts'

const DAY_SECONDS = 86_400
const MODELS_MAX = 1000

/** Compares the bills with the costs of the channels. Throws errors of `reconciliation` for what cannot be read. */
export async function reconcile(
  body: BodyOf<typeof createReconciliation>,
  reader: Database,
): Promise<MadeReconciliation> {
  const channels = await getChannels(reader, body.channel_ids)
  const bills = await readBills(body.files)
  const all = bills.flatMap(({ entries }) => entries)
  const range = selectRange(body, all)
  const entries = all.filter(({ day }) => isWithin(range, day))
  if (entries.length === 0)
    throw reconciliationError('no_rows', { from: dayOf(range.from), until: dayOf(range.until - 1) })
  const costs = await readCosts(reader, channels, { range, grain: 'hour' })
  const around = { from: range.from - DAY_SECONDS, until: range.until + DAY_SECONDS }
  const comparison = rejectLargeAmounts(() => compareCosts(entries, costs.rows))
  if (comparison.models.length > MODELS_MAX)
    throw reconciliationError('too_many_models', { limit: MODELS_MAX })
  const excluded = all.filter(({ day }) => !isWithin(range, day))
  const causes = findCauses({
    ...costs.facts,
    comparison,
    entries,
    hours: await sumCostsByTime(reader, { range: around, grain: 'hour', channelIds: body.channel_ids }),
    excluded: { rows: excluded.reduce((sum, { rows }) => sum + rows, 0), nanos: nanosOf(excluded) },
    isInCents:
      bills.every(({ hasAmounts, isInCents }) => !hasAmounts || isInCents) &&
      comparison.total.billed_nanos !== null,
    isStillCounting: await isStillCounting(reader, range.until),
  })
  return {
    files: body.files.map(({ name }) => name),
    channels: channels.map(({ id, name }) => ({ id, name })),
    range,
    result: { ...comparison, causes },
  }
}

interface BillFile {
  readonly name: string
  readonly text: string
}

async function readBills(files: readonly BillFile[]): Promise<readonly ProviderBill[]> {
  if (files.reduce((sum, { text }) => sum + text.length, 0) > BILL_CHARS_MAX)
    throw reconciliationError('too_large', { limit: BILL_CHARS_MAX })
  const bills: ProviderBill[] = []
  for (const [index, { name, text }] of files.entries()) {
    const file = name || `#${index + 1}`
    if (files.slice(0, index).some(earlier => earlier.text === text))
      throw reconciliationError('same_file', { file })
    bills.push(await readNamedBill(file, text))
  }
  return bills
}

async function readNamedBill(file: string, text: string): Promise<ProviderBill> {
  try {
    return await readBill(text)
  } catch (error) {
    if (!(error instanceof BillError)) throw error
    const { row, reason } = error
    throw row === undefined
      ? reconciliationError('unreadable', { file, reason })
      : reconciliationError('unreadable_row', { file, row, reason })
  }
}

/** The period in whole days; its default is the period of the files. */
function selectRange(
  { start_date, end_date }: { readonly start_date: string; readonly end_date: string },
  entries: readonly BillEntry[],
): TimeRange {
  const days = entries.map(({ day }) => day).sort()
  const [first, last] = [start_date || days[0], end_date || days.at(-1)]
  if (first === undefined || last === undefined) throw reconciliationError('no_days')
  const range = { from: startOf(first), until: startOf(last) + DAY_SECONDS }
  if (range.until <= range.from) throw reconciliationError('period_reversed')
  if (range.until - range.from > RECONCILED_DAYS_MAX * DAY_SECONDS)
    throw reconciliationError('period_too_long', { limit: RECONCILED_DAYS_MAX })
  return range
}

/** Throws for days such as February 30, which the engine reads as another one. */
function startOf(day: string): number {
  const start = Date.parse(`${day}T00:00:00Z`) / 1000
  if (!Number.isFinite(start) || dayOf(start) !== day)
    throw reconciliationError('invalid_date', { date: day })
  return start
}

const isWithin = ({ from, until }: TimeRange, day: string): boolean =>
  day >= dayOf(from) && day <= dayOf(until - 1)

const ZERO_DOLLARS: Decimal = { digits: 0n, scale: 0 }
const nanosOf = (entries: readonly BillEntry[]): number =>
  rejectLargeAmounts(() =>
    toNanos(entries.reduce((sum, { dollars = ZERO_DOLLARS }) => add(sum, dollars), ZERO_DOLLARS)),
  )
