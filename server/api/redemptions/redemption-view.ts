import type { Redemption } from '#contract/billing/redemptions.ts'
import type { Secrets } from '../../core/crypto.ts'
import type { RedemptionRow } from '../../db/redemptions.ts'
import { toTimeText } from '../user-view.ts'

/** A code as administrators see it, readable. */
export const toRedemption = (row: RedemptionRow, secrets: Secrets): Redemption => ({
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
  DeletedAt: toTimeText(row.deleted_at),
})
