import type { RedemptionChange } from '#contract/billing/redemptions.ts'
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

/** Changes name and worth of a code that nobody has used. */
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

/** Disables a code or enables it again, but never one that was used. */
export function updateRedemptionStatusById(
  { id, status }: RedemptionChange,
  { db }: RedemptionUpdateDeps,
): Promise<RedemptionRow> {
  if (status !== 1 && status !== 2) throw redemptionError('unknown_status')
  return inTransaction(db, async tx => {
    if (!(await findRedemption(tx, id))) throw redemptionError('unknown')
    const changed = await updateRedemptionStatus(tx, id, status)
    if (!changed) throw redemptionError('stays_used')
    return changed
  })
}
