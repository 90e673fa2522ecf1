import { ROLE } from '#contract/enums.ts'
import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { getManagedOwner } from '#server/accounts/tokens/managed-token.ts'
import type { ApiContext } from '#server/api/context.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Services } from '#server/feature.ts'
import type { PaidSubject } from '#server/ledger/budgets.ts'
import type { BudgetDraft } from '../contract.ts'
import { budgetError } from './errors.ts'
import { type BudgetRow, findBudget } from './queries/budgets.ts'

export type SubjectDeps = Pick<Services, 'budgetSubject'>
type AccessDeps = SubjectDeps & Pick<ApiContext, 'db' | 'caller'>

/** Whom a budget bounds, and how the caller is related to them. */
interface OwnedSubject extends PaidSubject {
  /** Whether the caller sets it as the owner of the subject, not as an administrator. */
  readonly isOwn: boolean
  /** Whether the API changes its budgets. */
  readonly isOpen: boolean
}

/** Throws unless the caller may see budgets of this subject: their own, and as an administrator those of lower ranks. */
export async function getSubject(
  { subject: kind, subject_id: id }: Pick<BudgetDraft, 'subject' | 'subject_id'>,
  deps: AccessDeps,
): Promise<OwnedSubject> {
  const declared = deps.budgetSubject(kind)
  if (id === 0 || (kind !== 'user' && kind !== 'token' && !declared)) throw budgetError('subject')
  if (kind === 'token') {
    const owner = await getManagedOwner(id, deps)
    return { kind, id, userId: owner.id, isOwn: owner.isCaller, isOpen: true }
  }
  const userId = declared ? await declared.findPayer(deps.db, id) : id
  if (userId === undefined) throw budgetError('subject')
  await checkMaySee(userId, deps)
  const isOwn = declared ? userId === deps.caller.id : deps.caller.role < ROLE.admin
  return { kind, id, userId, isOwn, isOpen: declared?.isOpen ?? true }
}

async function checkMaySee(userId: number, { db, caller }: AccessDeps): Promise<void> {
  if (userId === caller.id) return
  const user = await findUser(db, userId)
  // An ordinary user learns of nobody whether they exist.
  checkRank(user ?? { role: caller.role }, caller)
  if (!user) throw userError('unknown')
}

/** Throws unless the caller may set budgets of the subject. Those of an organisation are set by its administrators, too. */
export function checkMaySet({ kind, isOwn, isOpen }: OwnedSubject, { member }: ApiContext['caller']): void {
  if (!isOpen) throw budgetError('fixed')
  if (isOwn && kind === 'user' && !member) throw budgetError('managed')
}

/** A budget that the caller may change. */
export async function getChangeableBudget(id: number, deps: AccessDeps): Promise<BudgetRow> {
  const budget = await findBudget(deps.db, id)
  if (!budget) throw budgetError('unknown')
  const isAdmin = deps.caller.role >= ROLE.admin
  if (budget.user_id !== deps.caller.id && !isAdmin) throw budgetError('unknown')
  const subject = await getSubject(budget, deps)
  checkMaySet(subject, deps.caller)
  if (budget.is_managed && !isAdmin) throw budgetError('managed')
  return budget
}
