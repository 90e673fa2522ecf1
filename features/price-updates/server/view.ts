import { OwnPrices } from '#contract/catalogue/price-list.ts'
import type { DataOf } from '#contract/endpoint.ts'
import type { ApiContext } from '#server/api/context.ts'
import { sleepMs } from '#server/core/clock.ts'
import type { Language } from '#server/core/language.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { listPriceChanges } from '../contract.ts'
import {
  PRICE_UPDATE_MODELS_MAX,
  type PriceChange,
  type PriceUpdate,
  type PriceUpdates,
} from '../contract.ts'
import { type PriceUpdate as Comparison, compareEntries, compareWithFeed } from './price-update.ts'
import { problemText } from './problem-texts.ts'
import { ProposalBody, READING, ReadingBody } from './proposals.ts'
import {
  countPriceChanges,
  findSync,
  listPinnedModels,
  listPriceChangeRows,
  listProposals,
  listScheduledChanges,
  type PriceChangeRow,
} from './queries.ts'
import type { ModelOptions } from './to-options.ts'

const NEVER: PriceUpdates = {
  revision: '',
  source: '',
  format: '',
  read_at: 0,
  row_count: 0,
  rows: [],
  problems: [],
}
const ROWS_PER_TURN = 50

/** Changes of the last feed, compared with the prices in force now. */
export async function viewUpdates(
  db: Database,
  options: ModelOptions,
  language: Language,
): Promise<PriceUpdates> {
  const reading = await findSync(db, READING)
  if (!reading) return NEVER
  const { revision, format, rowCount, problems } = ReadingBody.parse(JSON.parse(reading.body))
  return {
    revision,
    source: reading.source,
    format,
    read_at: reading.created_at,
    row_count: rowCount,
    rows: await viewRows(db, options),
    problems: problems.map(found => ({
      model: found.model,
      reason: found.reason,
      message: problemText(found, language),
    })),
  }
}

async function viewRows(db: Database, options: ModelOptions): Promise<PriceUpdate[]> {
  const stored = await listProposals(db, PRICE_UPDATE_MODELS_MAX)
  const pinned = await listPinnedModels(db, 10 * PRICE_UPDATE_MODELS_MAX)
  const served = new Set(await listEnabledModels(db))
  const waiting = await listScheduledChanges(db, { limit: PRICE_UPDATE_MODELS_MAX })
  const scheduled = new Map(waiting.map(({ model, effective_at }) => [model, effective_at]))
  const rows: PriceUpdate[] = []
  for (const [index, { model, status, body }] of stored.entries()) {
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await sleepMs(0)
    const { prices, retires, successor } = ProposalBody.parse(JSON.parse(body))
    const update = prices && compareWithFeed(options, { model, ...prices })
    if (prices && (!update || update.differences.length === 0)) continue
    rows.push({
      model,
      ...describe(status, update),
      is_pinned: pinned.has(model),
      is_served: served.has(model),
      ...(retires !== undefined && { retires }),
      ...(successor !== undefined && { successor }),
      scheduled_at: scheduled.get(model) ?? 0,
    })
  }
  return rows.toSorted((a, b) => Number(b.is_served) - Number(a.is_served))
}

type Description = Pick<PriceUpdate, 'status' | 'differences' | 'factor' | 'is_suspicious'>

function describe(status: string, update: Comparison | undefined): Description {
  if (!update) {
    const known = (['retired', 'renamed', 'missing'] as const).find(one => one === status) ?? 'missing'
    return { status: known, differences: [], is_suspicious: false }
  }
  const { differences, factor, isSuspicious, isNew } = update
  return {
    status: isNew ? 'new' : directionOf(update),
    differences: differences.map(toDifference),
    ...(!isNew && Number.isFinite(factor) && { factor }),
    is_suspicious: isSuspicious,
  }
}

function directionOf({ differences }: Comparison): 'dearer' | 'cheaper' | 'changed' {
  const isDearer = differences.some(({ from, to }) => (to ?? 0) > (from ?? 0))
  const isCheaper = differences.some(({ from, to }) => (to ?? 0) < (from ?? 0))
  if (isDearer && isCheaper) return 'changed'
  return isDearer ? 'dearer' : 'cheaper'
}

const toDifference = ({ line, from, to }: Comparison['differences'][number]) => ({
  line,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})

interface PageQuery {
  readonly p: number
  readonly page_size: number
}

export async function viewChanges(
  { p, page_size }: PageQuery,
  { reader }: Pick<ApiContext, 'reader'>,
): Promise<DataOf<typeof listPriceChanges>> {
  const rows = await listPriceChangeRows(reader, { offset: (p - 1) * page_size, limit: page_size })
  return { items: rows.map(toChange), total: await countPriceChanges(reader), page: p, page_size }
}

const toChange = ({
  username,
  ...row
}: PriceChangeRow & { readonly username: string | null }): PriceChange => ({
  id: row.id,
  batch: row.batch,
  model: row.model,
  source: row.source,
  status: statusOf(row.status),
  user_id: row.user_id,
  username: username ?? '',
  created_at: row.created_at,
  effective_at: row.effective_at,
  applied_at: row.applied_at,
  ended_at: row.ended_at,
  differences: differencesOf(row),
})

const statusOf = (status: string): PriceChange['status'] =>
  (['scheduled', 'applied', 'undone', 'cancelled'] as const).find(one => one === status) ?? 'failed'

/** Scheduled prices have only their future figures. */
function differencesOf({ model, before, after, proposal }: PriceChangeRow): PriceChange['differences'] {
  if (after === '')
    return compareEntries(model, {}, { ModelPriceLists: OwnPrices.parse(JSON.parse(proposal)) }).map(
      toDifference,
    )
  return compareEntries(model, JSON.parse(before), JSON.parse(after)).map(toDifference)
}
