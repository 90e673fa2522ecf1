import { nowMs, nowSeconds, sleepMs } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { catalogueModels } from '#server/pricing/catalogue.ts'
import type { Settings } from '#server/settings/settings.ts'
import { PRICE_UPDATE_MODELS_MAX } from '../contract.ts'
import { priceUpdateError } from './errors.ts'
import { createKnownNames } from './feeds/check-row.ts'
import { type Feed, type FeedProblem, type FeedRow, feedProblem } from './feeds/feed.ts'
import { readFeed } from './feeds/read-feed.ts'
import { compareWithFeed } from './price-update.ts'
import { type ProposalBody, READING } from './proposals.ts'
import { replaceProposals, saveSync } from './queries.ts'
import type { ModelOptions } from './to-options.ts'

export interface FeedReadingDeps {
  readonly db: Database
  readonly settings: Settings
}

interface FeedText {
  readonly source: string
  readonly text: string
}

interface Proposal {
  readonly model: string
  readonly status: 'priced' | 'retired' | 'renamed' | 'missing'
  readonly body: ProposalBody
}

/** Formats that list every model of the providers that they cover. */
const COMPLETE_FORMATS: ReadonlySet<string> = new Set(['litellm', 'models_dev', 'catalogue'])
/** Rows that are compared before other requests get their turn. */
const ROWS_PER_TURN = 50

/** Reads a feed and stores what differs as proposals, in place of earlier ones. Throws `price_update.unreadable` and `too_many`. */
export async function storeFeed(
  { source, text }: FeedText,
  { db, settings }: FeedReadingDeps,
): Promise<void> {
  await settings.refresh()
  const options = settings.current().values
  const served = new Set(await listEnabledModels(db))
  const reading = readFeed(text, createKnownNames(knownNames(options, served)))
  if (reading.kind === 'unreadable') throw priceUpdateError('unreadable', { reason: reading.reason })
  const { proposals, problems } = await findProposals(reading, options, served)
  if (proposals.length > PRICE_UPDATE_MODELS_MAX)
    throw priceUpdateError('too_many', { count: proposals.length, limit: PRICE_UPDATE_MODELS_MAX })
  const body = {
    revision: newRequestId(),
    format: reading.format,
    rowCount: reading.rows.length,
    problems: [...reading.problems, ...problems],
  }
  await inTransaction(db, async tx => {
    await replaceProposals(
      tx,
      proposals.map(proposal => ({ ...proposal, body: JSON.stringify(proposal.body) })),
    )
    await saveSync(tx, { name: READING, created_at: nowSeconds(), source, body: JSON.stringify(body) })
  })
}

function* knownNames(options: ModelOptions, served: ReadonlySet<string>): Iterable<string> {
  yield* catalogueModels.keys()
  yield* Object.keys(options.ModelRatio)
  yield* Object.keys(options.ModelPrice)
  yield* served
}

interface FoundProposals {
  readonly proposals: readonly Proposal[]
  readonly problems: readonly FeedProblem[]
}

async function findProposals(
  feed: Feed,
  options: ModelOptions,
  served: ReadonlySet<string>,
): Promise<FoundProposals> {
  const today = new Date(nowMs()).toISOString().slice(0, 'yyyy-mm-dd'.length)
  const proposals: Proposal[] = []
  const problems: FeedProblem[] = []
  for (const [index, row] of feed.rows.entries()) {
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await sleepMs(0)
    const isRetired = served.has(row.model) && (row.retires ?? today) < today
    const found = toProposal(row, { update: compareWithFeed(options, row), isRetired })
    if (!found) continue
    if ('reason' in found) problems.push(found)
    else proposals.push(found)
  }
  const missing = COMPLETE_FORMATS.has(feed.format) ? findMissing(feed, served) : []
  return { proposals: [...proposals, ...missing], problems }
}

interface ComparedRow {
  readonly update: ReturnType<typeof compareWithFeed>
  readonly isRetired: boolean
}

function toProposal(row: FeedRow, { update, isRetired }: ComparedRow): Proposal | FeedProblem | undefined {
  const { model, kind, prices, retires, successor } = row
  // A model that is new and costs nothing is one whose price the feed does not know.
  if (!update || (update.isNew && update.isSuspicious)) return undefined
  if (!update.isExact) return feedProblem(model, 'inexact', update.differences[0]?.line)
  const dates = { ...(retires !== undefined && { retires }), ...(successor !== undefined && { successor }) }
  if (update.differences.length > 0)
    return { model, status: 'priced', body: { prices: { kind, prices }, ...dates } }
  return isRetired ? { model, status: 'retired', body: dates } : undefined
}

/** Models of the catalogue that channels serve and the feed does not name. */
function findMissing({ names }: Feed, served: ReadonlySet<string>): readonly Proposal[] {
  return [...served]
    .filter(model => catalogueModels.has(model) && !names.has(model))
    .map(model => {
      const successor = catalogueModels.get(model)?.successor
      return successor !== undefined && names.has(successor)
        ? { model, status: 'renamed', body: { successor } }
        : { model, status: 'missing', body: {} }
    })
}
