import type { OwnPrices } from '#contract/catalogue/price-list.ts'
import type { BodyOf, DataOf } from '#contract/endpoint.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { approvePriceUpdates } from '../contract.ts'
import { PRICE_UPDATE_MODELS_MAX } from '../contract.ts'
import { applyPrices } from './apply.ts'
import { priceUpdateError } from './errors.ts'
import { compareWithFeed } from './price-update.ts'
import { ProposalBody, READING, ReadingBody } from './proposals.ts'
import {
  cancelScheduledChanges,
  findSync,
  insertPriceChanges,
  listPinnedModels,
  listProposals,
} from './queries.ts'

type Approval = BodyOf<typeof approvePriceUpdates>
type ApprovalDeps = Pick<ApiContext, 'db' | 'settings' | 'log' | 'caller' | 'requestId'>

interface ApprovedPrice {
  readonly model: string
  readonly prices: OwnPrices
}

/** Approves proposals, all or none. They apply now, or wait for their time. */
export async function approve(
  approval: Approval,
  { db, settings, log, caller, requestId }: ApprovalDeps,
): Promise<DataOf<typeof approvePriceUpdates>> {
  await settings.refresh()
  const now = nowSeconds()
  const isNow = approval.effective_at <= now
  const batch = newRequestId()
  const result = await inTransaction(db, async tx => {
    const { approved, source } = await findApproved(tx, approval, settings)
    const models = approved.map(({ model }) => model)
    await cancelScheduledChanges(tx, models, { userId: caller.id, now })
    const applied = isNow ? await applyPrices(tx, approved) : undefined
    await insertPriceChanges(
      tx,
      approved.map(({ model, prices }, index) => ({
        batch,
        model,
        source,
        status: isNow ? 'applied' : 'scheduled',
        user_id: caller.id,
        created_at: now,
        effective_at: isNow ? now : approval.effective_at,
        applied_at: isNow ? now : 0,
        ended_at: 0,
        ended_by: 0,
        proposal: JSON.stringify(prices),
        before: applied?.changes[index]?.before ?? '',
        after: applied?.changes[index]?.after ?? '',
      })),
    )
    return { models, keys: applied?.keys ?? [] }
  })
  log.info(isNow ? 'options were changed' : 'prices were scheduled', {
    request_id: requestId,
    user_id: caller.id,
    batch,
    ...result,
  })
  return { batch, count: result.models.length }
}

interface Found {
  readonly approved: readonly ApprovedPrice[]
  readonly source: string
}

async function findApproved(
  tx: Database,
  { revision, models, with_suspicious }: Approval,
  settings: ApprovalDeps['settings'],
): Promise<Found> {
  const reading = await findSync(tx, READING)
  if (!reading || ReadingBody.parse(JSON.parse(reading.body)).revision !== revision)
    throw priceUpdateError('outdated')
  const rows = await listProposals(tx, PRICE_UPDATE_MODELS_MAX)
  const proposals = new Map(rows.map(({ model, body }) => [model, body]))
  const pinned = await listPinnedModels(tx, 10 * PRICE_UPDATE_MODELS_MAX)
  const options = settings.current().values
  const approved = [...new Set(models)].map(model => {
    const body = proposals.get(model)
    const { prices } = ProposalBody.parse(JSON.parse(body ?? '{}'))
    const update = prices && compareWithFeed(options, { model, ...prices })
    if (!prices || !update || update.differences.length === 0) throw priceUpdateError('unknown', { model })
    if (pinned.has(model)) throw priceUpdateError('pinned', { model })
    if (update.isSuspicious && !with_suspicious) throw priceUpdateError('suspicious', { model })
    if (!update.isExact) throw priceUpdateError('inexact', { model })
    return { model, prices }
  })
  return { approved, source: reading.source }
}
