import { MATCHING_ROWS_MAX } from '#contract/endpoint.ts'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { changeMatching } from '#server/api/change-matching.ts'
import type { ApiContext } from '#server/api/context.ts'
import { toIsoTime } from '#server/api/format.ts'
import { forEachRow, handle } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { REDEMPTION_PURPOSE, type Secrets } from '#server/core/crypto.ts'
import { formatQuota } from '#server/core/money.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { redemptionError } from './errors.ts'
import {
  deleteRedemptions,
  findRedemption,
  insertRedemptions,
  listRedemptionIds,
  listRedemptions,
  type RedemptionFilter,
  type RedemptionRow,
  sumRedemptions,
  updateRedemptionStatus,
  updateRedemptionStatuses,
  updateUnusedRedemption,
} from './queries.ts'
import { redeemCode } from './redeem.ts'

const routes = [
  handle(endpoints.listRedemptions, ({ query, ...context }) =>
    listRedemptionPage({ ...query, keyword: '' }, context),
  ),
  handle(endpoints.searchRedemptions, ({ query, ...context }) => listRedemptionPage(query, context)),

  handle(endpoints.getRedemption, async ({ db, secrets, params }) => {
    const row = await findRedemption(db, params.id)
    if (!row) throw redemptionError('unknown')
    return toRedemption(row, secrets)
  }),

  handle(endpoints.createRedemptions, ({ body, ...context }) => createCodes(body, context)),

  handle(endpoints.updateRedemption, async ({ body, query, secrets, ...context }) =>
    toRedemption(
      await (query.status_only ? setRedemptionStatus(body, context) : updateRedemptionFields(body, context)),
      secrets,
    ),
  ),

  handle(endpoints.updateRedemptionsBatch, ({ body: { ids, status }, ...context }) =>
    forEachRow(ids, context, id => setRedemptionStatus({ id, status }, context)),
  ),

  handle(endpoints.deleteRedemption, ({ db, params }) => remove(params.id, db)),

  handle(endpoints.deleteRedemptions, ({ body, ...context }) =>
    forEachRow(body.ids, context, id => remove(id, context.db)),
  ),

  handle(endpoints.updateMatchingRedemptions, ({ body: { filter, count, status }, ...context }) =>
    changeMatching(
      {
        count,
        listIds: listMatchingIds(filter, context.secrets),
        change: (tx, ids) => updateRedemptionStatuses(tx, ids, status),
      },
      context,
    ),
  ),
  handle(endpoints.deleteMatchingRedemptions, ({ body: { filter, count }, ...context }) =>
    changeMatching(
      {
        count,
        listIds: listMatchingIds(filter, context.secrets),
        change: (tx, ids) => deleteRedemptions(tx, ids, nowSeconds()),
      },
      context,
    ),
  ),

  handle(endpoints.redeem, ({ body, ...context }) => redeemCode(body.key, context)),
]

async function remove(id: number, db: ApiContext['db']): Promise<void> {
  if ((await deleteRedemptions(db, [id], nowSeconds())) === 0) throw redemptionError('unknown')
}

const listMatchingIds =
  (conditions: Conditions, secrets: Secrets) => (db: ApiContext['db'], ids?: readonly number[]) =>
    listRedemptionIds(db, toFilter(conditions, secrets), { limit: MATCHING_ROWS_MAX + 1, ids })

type Conditions = Pick<RedemptionFilter, 'keyword' | 'status'>

const toFilter = ({ keyword, status }: Conditions, secrets: Secrets): RedemptionFilter => ({
  keyword,
  keyHash: secrets.hash(REDEMPTION_PURPOSE, keyword),
  status,
})

interface RedemptionPageQuery {
  readonly p: number
  readonly page_size: number
  readonly keyword: string
  readonly status: number
}

async function listRedemptionPage(
  { p, page_size, keyword, status }: RedemptionPageQuery,
  { reader, secrets }: Pick<ApiContext, 'reader' | 'secrets'>,
) {
  const filter = toFilter({ keyword, status }, secrets)
  const [rows, { total, unusedCount, unusedQuota }] = await Promise.all([
    listRedemptions(reader, filter, { offset: (p - 1) * page_size, limit: page_size }),
    sumRedemptions(reader, filter),
  ])
  const items = rows.map(row => toRedemption(row, secrets))
  return { items, total, page: p, page_size, unused_count: unusedCount, unused_quota: unusedQuota }
}

/** Creates the codes, all or none, and returns them in plain text. */
async function createCodes(
  { name, quota, count }: endpoints.RedemptionDraft,
  { db, caller, secrets, settings }: Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'settings'>,
): Promise<string[]> {
  const codes = Array.from({ length: count }, () => crypto.randomUUID().replaceAll('-', ''))
  const rows = codes.map(code => ({
    user_id: caller.id,
    key_hash: secrets.hash(REDEMPTION_PURPOSE, code),
    key_sealed: secrets.encrypt(code),
    name: name || nameOf(quota, settings.current().values),
    quota,
    created_time: nowSeconds(),
  }))
  await inTransaction(db, tx => insertRedemptions(tx, rows))
  return codes
}

const CENTS_DIGITS = 2

/** `$0.20`: the name of a code without one. An amount that is no whole number of cents keeps its digits. */
function nameOf(quota: number, values: OptionValues): string {
  if (!values.DisplayInCurrencyEnabled) return formatQuota(quota, values).zh
  const [units = '0', decimals = ''] = formatQuota(quota, values).en.replace('$', '').split('.')
  return `$${units}.${decimals.replace(/0+$/, '').padEnd(CENTS_DIGITS, '0')}`
}

/** Maps a row for administrators, with the code decrypted. */
const toRedemption = (row: RedemptionRow, secrets: Secrets): endpoints.Redemption => ({
  id: row.id,
  user_id: row.user_id,
  key: secrets.decrypt(row.key_sealed),
  status: row.status,
  name: row.name,
  quota: row.quota,
  created_time: row.created_time,
  redeemed_time: row.redeemed_time,
  count: 0,
  used_user_id: row.used_user_id,
  DeletedAt: toIsoTime(row.deleted_at),
})

type RedemptionUpdateDeps = Pick<ApiContext, 'db'>

/** Updates the name and quota of an unused code. */
function updateRedemptionFields(
  { id, name, quota }: endpoints.RedemptionChange,
  { db }: RedemptionUpdateDeps,
): Promise<RedemptionRow> {
  return inTransaction(db, async tx => {
    const code = await findRedemption(tx, id)
    if (!code) throw redemptionError('unknown')
    const changed = await updateUnusedRedemption(tx, id, {
      name: name ?? code.name,
      quota: quota ?? code.quota,
    })
    if (!changed) throw redemptionError('not_unused')
    return changed
  })
}

/** Disables or enables a code. Throws `redemption.stays_used` for a used one. */
function setRedemptionStatus(
  { id, status }: endpoints.RedemptionChange,
  { db }: RedemptionUpdateDeps,
): Promise<RedemptionRow> {
  if (status !== REDEMPTION_STATUS.unused && status !== REDEMPTION_STATUS.disabled)
    throw redemptionError('unknown_status')
  return inTransaction(db, async tx => {
    if (!(await findRedemption(tx, id))) throw redemptionError('unknown')
    const changed = await updateRedemptionStatus(tx, id, status)
    if (!changed) throw redemptionError('stays_used')
    return changed
  })
}

export const feature = defineFeature({ start: () => ({ routes }) })
