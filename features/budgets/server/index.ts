import type { QueryOf } from '#contract/endpoint.ts'
import { toCells } from '#contract/entities/stored.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { BUDGETS_MAX, type Budget, type BudgetDraft, BudgetFields } from '../contract.ts'
import { budgetRules } from '../migrations/0073-budget-rules.ts'
import { budgetSubjects } from '../migrations/0092-budget-subjects.ts'
import { budgetBends } from '../migrations/0097-budget-bends.ts'
import { budgetEfforts } from '../migrations/0104-budget-efforts.ts'
import { deletedBudgets } from '../migrations/0106-deleted-budgets.ts'
import { checkMaySet, getChangeableBudget, getSubject, type SubjectDeps } from './access.ts'
import { type BendRule, countStars, isBendRule } from './bends.ts'
import { budgetError } from './errors.ts'
import { createBudgetBook } from './find-budgets.ts'
import { maintenanceJob } from './maintenance.ts'
import {
  type BudgetRow,
  deleteBudgets,
  deleteBudgetsOfOwner,
  insertBudget,
  listBudgetsOf,
  listBudgetsOfMany,
  listBudgetsOfOwner,
  updateBudgetRow,
} from './queries/budgets.ts'
import { toBudgets } from './view.ts'
import { createBudgetWarnings } from './warnings.ts'

const createRoutes = ({ budgetSubject }: SubjectDeps) => [
  handle(endpoints.listBudgets, async ({ query, db, caller }) =>
    toBudgets(db, await listRows(query, { db, caller, budgetSubject })),
  ),

  handle(endpoints.createBudget, ({ body, ...context }) => create(body, { ...context, budgetSubject })),

  handle(endpoints.updateBudget, ({ params, body, db, caller }) =>
    inTransaction(db, async tx => {
      const before = await getChangeableBudget(params.id, { db: tx, caller, budgetSubject })
      const cells = toCells(BudgetFields, body)
      checkRule({ ...before, ...cells })
      // The new amount may be far from what is used, so its warning is due again.
      return toBudget(tx, await updateBudgetRow(tx, params.id, { ...cells, warned_at: 0 }))
    }),
  ),

  handle(endpoints.deleteBudget, ({ params, db, caller }) =>
    inTransaction(db, async tx => {
      await getChangeableBudget(params.id, { db: tx, caller, budgetSubject })
      await deleteBudgets(tx, [params.id])
    }),
  ),
]

async function listRows(
  query: QueryOf<typeof endpoints.listBudgets>,
  deps: Pick<ApiContext, 'db' | 'caller'> & SubjectDeps,
): Promise<BudgetRow[]> {
  const { subject: kind, subject_ids, after_id } = query
  const { db, caller } = deps
  if (kind === '') return listBudgetsOfOwner(db, caller.id, after_id)
  if (subject_ids === '') return listBudgetsOf(db, await getSubject(query, deps))
  return listBudgetsOfMany(db, caller.id, { kind, ids: subject_ids.split(',').map(Number) })
}

function create(
  { subject: kind, subject_id, unit, ...rule }: BudgetDraft,
  { db, caller, settings, budgetSubject }: Pick<ApiContext, 'db' | 'caller' | 'settings'> & SubjectDeps,
): Promise<Budget> {
  return inTransaction(db, async tx => {
    const subject = await getSubject({ subject: kind, subject_id }, { db: tx, caller, budgetSubject })
    checkMaySet(subject, caller)
    checkRule(rule)
    const others = await listBudgetsOf(tx, subject)
    if (others.length >= BUDGETS_MAX) throw budgetError('too_many', { count: BUDGETS_MAX })
    const row = await insertBudget(tx, {
      ...toCells(BudgetFields, rule),
      amount: rule.amount,
      // Stays when the option changes, so that no window ends early or begins twice.
      time_zone: rule.time_zone || settings.current().values.ReportingTimeZone,
      user_id: subject.userId,
      subject: subject.kind,
      subject_id: subject.id,
      unit,
      is_managed: subject.isOwn ? 0 : 1,
      created_at: nowSeconds(),
    })
    return toBudget(tx, row)
  })
}

function checkRule(rule: Pick<BudgetRow, 'period' | 'hours' | 'model'> & BendRule): void {
  if ((rule.period === 'rolling') !== rule.hours > 0) throw budgetError('hours')
  if (countStars(rule.model) > 1) throw budgetError('model')
  if (!isBendRule(rule)) throw budgetError('bend')
}

async function toBudget(db: Database, row: BudgetRow | undefined): Promise<Budget> {
  const [budget] = row ? await toBudgets(db, [row]) : []
  if (!budget) throw budgetError('unknown')
  return budget
}

export const feature = defineFeature({
  migrations: [budgetRules, budgetSubjects, budgetBends, budgetEfforts, deletedBudgets],
  verify: async ({ database }) => (await import('./verify.ts')).verifyBudgets(database.db),
  on: {
    userDeleted: (tx, userId) => deleteBudgetsOfOwner(tx, userId),
  },
  start(services) {
    services.ledger.boundBy(createBudgetBook(services))
    const warnings = createBudgetWarnings(services)
    return { routes: createRoutes(services), jobs: [warnings.job, maintenanceJob(services)] }
  },
})
