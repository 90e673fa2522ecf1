import type { RedemptionChange } from '#contract/billing/redemptions.ts'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import {
  findRedemption,
  type RedemptionRow,
  updateRedemptionStatus,
  updateUnusedRedemption,
} from '../../db/billing/redemptions.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ApiContext } from '../context.ts'
import { redemptionError } from './errors.ts'

type RedemptionUpdateDeps = Pick<ApiContext, 'db'>

/** Updates the name and quota of an unused code. */
export function updateRedemptionFields(
  { id, name, quota }: RedemptionChange,
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
export function setRedemptionStatus(
  { id, status }: RedemptionChange,
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
