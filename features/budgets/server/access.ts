import { ROLE } from '#contract/enums.ts'
import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { getManagedOwner } from '#server/accounts/tokens/managed-token.ts'
import type { ApiContext } from '#server/api/context.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { budgetError } from './errors.ts'
import { type BudgetRow, type BudgetSubject, findBudget } from './queries/budgets.ts'

type BudgetCaller = ApiContext['caller']

/** Whom a budget bounds, and how the caller is related to them. */
export interface OwnedSubject extends BudgetSubject {
  /** Whether the caller sets it as the owner of the token, not as an administrator. */
  readonly isOwn: boolean
}

/** Throws unless the caller may see budgets of this subject: their own, and as an administrator those of lower ranks. */
export async function getSubject(
  db: Database,
  { user_id, token_id }: BudgetSubject,
  caller: BudgetCaller,
): Promise<OwnedSubject> {
  if (user_id > 0 === token_id > 0) throw budgetError('subject')
  return token_id > 0 ? getTokenSubject(db, token_id, caller) : getUserSubject(db, user_id, caller)
}

async function getTokenSubject(db: Database, token_id: number, caller: BudgetCaller): Promise<OwnedSubject> {
  const { id, isCaller } = await getManagedOwner(token_id, { db, caller })
  return { user_id: id, token_id, isOwn: isCaller }
}

async function getUserSubject(db: Database, user_id: number, caller: BudgetCaller): Promise<OwnedSubject> {
  const subject = { user_id, token_id: 0, isOwn: caller.role < ROLE.admin }
  if (user_id === caller.id) return subject
  const user = await findUser(db, user_id)
  // An ordinary user learns of nobody whether they exist.
  checkRank(user ?? { role: caller.role }, caller)
  if (!user) throw userError('unknown')
  return subject
}

/** Throws unless the caller may set budgets of the subject. */
export function checkMaySet({ token_id, isOwn }: OwnedSubject): void {
  if (isOwn && token_id === 0) throw budgetError('managed')
}

/** A budget that the caller may change. */
export async function getChangeableBudget(
  db: Database,
  id: number,
  caller: BudgetCaller,
): Promise<BudgetRow> {
  const budget = await findBudget(db, id)
  if (!budget) throw budgetError('unknown')
  const { user_id, token_id, is_managed } = budget
  if (user_id !== caller.id && caller.role < ROLE.admin) throw budgetError('unknown')
  const subject = await getSubject(db, { user_id: token_id > 0 ? 0 : user_id, token_id }, caller)
  if (is_managed && caller.role < ROLE.admin) throw budgetError('managed')
  checkMaySet(subject)
  return budget
}
