import { RECORDS } from '#contract/audited-records.ts'
import { OwnPrices } from '#contract/catalogue/price-list.ts'
import type { OptionKey } from '#contract/options/system-options.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { PRICE_OPTIONS } from '../contract.ts'
import { priceUpdateError } from './errors.ts'
import { editPriceOptions } from './price-options.ts'
import { listPriceBatch, listScheduledChanges, type PriceChangeRow, updatePriceChange } from './queries.ts'
import { entriesFor, type ModelEntries, readEntries } from './to-options.ts'

const ROWS_MAX = 3000

interface AppliedChange {
  readonly model: string
  readonly before: string
  readonly after: string
}

/** Sets the prices of models in the options, and returns their entries before and after. */
export async function applyPrices(
  tx: Database,
  proposals: readonly { readonly model: string; readonly prices: OwnPrices }[],
): Promise<{ readonly keys: readonly OptionKey[]; readonly changes: readonly AppliedChange[] }> {
  const edited = await editPriceOptions(tx)
  const changes = proposals.map(({ model, prices }) => {
    const before = readEntries(edited.options, model)
    const after = entriesFor(edited.options, model, prices)
    if (!after) throw priceUpdateError('inexact', { model })
    edited.setEntries(model, after)
    return {
      model,
      before: JSON.stringify(before),
      after: JSON.stringify(readEntries(edited.options, model)),
    }
  })
  return { keys: await edited.save(), changes }
}

type DuePricesDeps = Pick<Services, 'db' | 'log' | 'events' | 'secrets' | 'settings'>

/** Applies approved prices whose time has come. Returns their number. */
export async function applyDuePrices({ db, log, ...deps }: DuePricesDeps): Promise<number> {
  const now = nowSeconds()
  const due = { until: now, limit: ROWS_MAX }
  if ((await listScheduledChanges(db, { ...due, limit: 1 })).length === 0) return 0
  return inTransaction(db, async tx => {
    const edited = await editPriceOptions(tx)
    // Read behind the lock that the options take: another process may have applied them.
    const rows = await listScheduledChanges(tx, due)
    if (rows.length === 0) return 0
    const { ended } = await recordDuePrices(tx, rows, deps)
    for (const row of rows) {
      const { id, model, status } = row
      const after = entriesFor(edited.options, model, OwnPrices.parse(JSON.parse(row.proposal)))
      const before = readEntries(edited.options, model)
      if (after) edited.setEntries(model, after)
      const entries = {
        before: JSON.stringify(before),
        after: JSON.stringify(readEntries(edited.options, model)),
      }
      await updatePriceChange(
        tx,
        { id, status },
        after ? { ...entries, status: 'applied', applied_at: now } : { status: 'failed', ended_at: now },
      )
    }
    const keys = await edited.save()
    await ended({ code: '' })
    log.info('scheduled prices were applied', { models: rows.map(({ model }) => model), keys })
    return rows.length
  })
}

/** Nobody calls when their time comes: the row names those who approved them. */
const recordDuePrices = (
  tx: Database,
  rows: readonly PriceChangeRow[],
  { events, secrets, settings }: Omit<DuePricesDeps, 'db' | 'log'>,
) =>
  events.changeStarted({
    db: tx,
    secrets,
    options: settings.options,
    credential: 'job',
    actorName: '',
    action: 'scheduled prices',
    record: RECORDS.option,
    rows: PRICE_OPTIONS(),
    input: {
      models: rows.map(({ model }) => model),
      batches: [...new Set(rows.map(({ batch }) => batch))],
      approved_by: [...new Set(rows.map(({ user_id }) => Number(user_id)))],
    },
  })

interface UndoResult {
  readonly count: number
  readonly keys: readonly OptionKey[]
}

/** Restores the prices that the models of a batch had. Throws `price_update.unknown_batch` and `changed_since`. */
export function undoBatch(db: Database, batch: string, userId: number): Promise<UndoResult> {
  return inTransaction(db, async tx => {
    const edited = await editPriceOptions(tx)
    const rows = (await listPriceBatch(tx, batch, ROWS_MAX)).filter(
      ({ status }) => status === 'applied' || status === 'scheduled',
    )
    if (rows.length === 0) throw priceUpdateError('unknown_batch')
    const ended = { ended_at: nowSeconds(), ended_by: userId }
    for (const row of rows) {
      if (row.status === 'applied') restore(row, edited)
      await updatePriceChange(tx, row, {
        ...ended,
        status: row.status === 'applied' ? 'undone' : 'cancelled',
      })
    }
    return { count: rows.length, keys: await edited.save() }
  })
}

function restore(
  { model, before, after }: PriceChangeRow,
  { options, setEntries }: Awaited<ReturnType<typeof editPriceOptions>>,
): void {
  if (!Bun.deepEquals(readEntries(options, model), JSON.parse(after)))
    throw priceUpdateError('changed_since', { model })
  const entries: ModelEntries = JSON.parse(before)
  setEntries(model, entries)
}
