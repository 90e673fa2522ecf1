import {
  updateRedemptionsBatch,
  createRedemptions,
  deleteRedemption as deleteRedemptionCall,
  deleteRedemptions,
  getRedemption,
  listRedemptions as listRedemptionsCall,
  type RedemptionDraft,
  redeem,
  searchRedemptions,
  updateRedemption,
} from '#contract/billing/redemptions.ts'
import { nowSeconds } from '../../core/clock.ts'
import { REDEMPTION_PURPOSE } from '../../core/crypto.ts'
import { inTransaction } from '../../db/database.ts'
import {
  deleteRedemption,
  findRedemption,
  insertRedemptions,
  listRedemptions,
  sumRedemptions,
} from '../../db/redemptions.ts'
import type { ApiContext } from '../context.ts'
import { eachRow } from '../each-row.ts'
import { handle } from '../handle.ts'
import { quotaText } from '../quota-text.ts'
import { changeRedemption, changeStatus } from './change-redemption.ts'
import { redeemCode } from './redeem-code.ts'
import { toRedemption } from './redemption-view.ts'
import { refuse } from './refuse.ts'

export const routes = [
  handle(listRedemptionsCall, ({ query, ...context }) =>
    pageOfRedemptions({ ...query, keyword: '' }, context),
  ),
  handle(searchRedemptions, ({ query, ...context }) => pageOfRedemptions(query, context)),

  handle(getRedemption, async ({ db, secrets, params }) => {
    const row = await findRedemption(db, params.id)
    if (!row) throw refuse('unknown')
    return toRedemption(row, secrets)
  }),

  handle(createRedemptions, ({ body, ...context }) => makeRedemptions(body, context)),

  handle(updateRedemption, async ({ body, query, secrets, ...context }) =>
    toRedemption(
      await (query.status_only ? changeStatus(body, context) : changeRedemption(body, context)),
      secrets,
    ),
  ),

  handle(updateRedemptionsBatch, ({ body: { ids, status }, ...context }) =>
    eachRow(ids, context, id => changeStatus({ id, status }, context)),
  ),

  handle(deleteRedemptionCall, ({ db, params }) => remove(params.id, db)),

  handle(deleteRedemptions, ({ body, ...context }) =>
    eachRow(body.ids, context, id => remove(id, context.db)),
  ),

  handle(redeem, ({ body, ...context }) => redeemCode(body.key, context)),
]

async function remove(id: number, db: ApiContext['db']): Promise<void> {
  if (!(await deleteRedemption(db, id, nowSeconds()))) throw refuse('unknown')
}

interface WantedPage {
  readonly p: number
  readonly page_size: number
  readonly keyword: string
  readonly status: number
}

async function pageOfRedemptions(
  { p, page_size, keyword, status }: WantedPage,
  { db, secrets }: Pick<ApiContext, 'db' | 'secrets'>,
) {
  const filter = { keyword, keyHash: secrets.hash(REDEMPTION_PURPOSE, keyword), status }
  const [rows, { total, unusedCount, unusedQuota }] = await Promise.all([
    listRedemptions(db, filter, { offset: (p - 1) * page_size, limit: page_size }),
    sumRedemptions(db, filter),
  ])
  const items = rows.map(row => toRedemption(row, secrets))
  return { items, total, page: p, page_size, unused_count: unusedCount, unused_quota: unusedQuota }
}

/** Makes the codes, all or none, and gives them readable. */
async function makeRedemptions(
  { name, quota, count }: RedemptionDraft,
  { db, caller, secrets, settings }: Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'settings'>,
): Promise<string[]> {
  const codes = Array.from({ length: count }, () => crypto.randomUUID().replaceAll('-', ''))
  const rows = codes.map(code => ({
    user_id: caller.id,
    key_hash: secrets.hash(REDEMPTION_PURPOSE, code),
    key_sealed: secrets.encrypt(code),
    name: name || quotaText(quota, settings.current().values),
    quota,
    created_time: nowSeconds(),
  }))
  await inTransaction(db, tx => insertRedemptions(tx, rows))
  return codes
}
