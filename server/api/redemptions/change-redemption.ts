import type { RedemptionChange } from '#contract/billing/redemptions.ts'
import { inTransaction } from '../../db/database.ts'
import {
  findRedemption,
  type RedemptionRow,
  updateRedemptionStatus,
  updateUnusedRedemption,
} from '../../db/redemptions.ts'
import type { ApiContext } from '../context.ts'
import { refuse } from './refuse.ts'

type Context = Pick<ApiContext, 'db'>

/** Changes name and worth of a code that nobody has used. */
export function changeRedemption(
  { id, name, quota }: RedemptionChange,
  { db }: Context,
): Promise<RedemptionRow> {
  return inTransaction(db, async tx => {
    const code = await findRedemption(tx, id)
    if (!code) throw refuse('unknown')
    const changed = await updateUnusedRedemption(tx, id, {
      name: name ?? code.name,
      quota: quota ?? code.quota,
    })
    if (!changed) throw refuse('not_unused')
    return changed
  })
}

/** Disables a code or enables it again, but never one that was used. */
export function changeStatus({ id, status }: RedemptionChange, { db }: Context): Promise<RedemptionRow> {
  if (status !== 1 && status !== 2) throw refuse('unknown_status')
  return inTransaction(db, async tx => {
    if (!(await findRedemption(tx, id))) throw refuse('unknown')
    const changed = await updateRedemptionStatus(tx, id, status)
    if (!changed) throw refuse('stays_used')
    return changed
  })
}
