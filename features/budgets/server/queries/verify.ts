import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { withBudgetTables } from '../tables.ts'

/** A count of a budget that does not match its requests. */
export interface BudgetDifference {
  /** Table and column. */
  readonly balance: string
  readonly budgetId: number
  /** Unix seconds: the window. */
  readonly startsAt: number
  readonly found: number
  readonly expected: number
}

const DIFFERENCES_MAX = 1000
/** The rows of deleted budgets go one after another. */
const IS_KEPT = sql`coalesce(counted.budget_id, uses.budget_id) not in (select budget_id from deleted_budgets)`

/** Windows whose use is not the sum of what their requests used. */
export async function findUseDifferences(tx: Database): Promise<readonly BudgetDifference[]> {
  const { rows } = await sql<BudgetDifference>`
    select 'budget_windows.used' as balance, coalesce(counted.budget_id, uses.budget_id) as "budgetId",
      coalesce(counted.starts_at, uses.starts_at) as "startsAt", coalesce(counted.used, 0) as found,
      cast(coalesce(uses.amount, 0) as bigint) as expected
    from (select budget_id, starts_at, used from budget_windows) as counted full join (
      select budget_id, starts_at, sum(amount) as amount from budget_uses group by budget_id, starts_at
    ) as uses on uses.budget_id = counted.budget_id and uses.starts_at = counted.starts_at
    where coalesce(counted.used, 0) <> coalesce(uses.amount, 0)
      and ${IS_KEPT} limit ${DIFFERENCES_MAX}`.execute(tx)
  return rows
}

/** Windows whose savings are not the sum of what their requests saved. */
export async function findSavingDifferences(tx: Database): Promise<readonly BudgetDifference[]> {
  const { rows } = await sql<BudgetDifference>`
    select 'budget_windows.saved' as balance, coalesce(counted.budget_id, uses.budget_id) as "budgetId",
      coalesce(counted.starts_at, uses.starts_at) as "startsAt", coalesce(counted.saved, 0) as found,
      cast(coalesce(uses.amount, 0) as bigint) as expected
    from (select budget_id, starts_at, saved from budget_windows) as counted full join (
      select budget_id, starts_at, sum(saved) as amount from budget_uses group by budget_id, starts_at
    ) as uses on uses.budget_id = counted.budget_id and uses.starts_at = counted.starts_at
    where coalesce(counted.saved, 0) <> coalesce(uses.amount, 0)
      and ${IS_KEPT} limit ${DIFFERENCES_MAX}`.execute(tx)
  return rows
}

/** Uses of money that are not what their request was charged, and others of requests without a charge. */
export async function findUncharged(tx: Database): Promise<readonly BudgetDifference[]> {
  const { rows } = await sql<BudgetDifference>`
    select 'budget_uses.amount' as balance, budgets.id as "budgetId", budget_uses.starts_at as "startsAt",
      budget_uses.amount as found, coalesce(charges.amount, 0) as expected
    from budget_uses join budgets on budgets.id = budget_uses.budget_id
      left join postings as charges on charges.request_id = budget_uses.request_id and charges.kind = 'charge'
    where budget_uses.request_id <> '' and (charges.amount is null and budget_uses.amount <> 0
      or budgets.unit = 'quota' and charges.amount <> budget_uses.amount
        -- A budget for a model only keeps what it saved of a request that it turned to another one.
        and (budget_uses.amount <> 0 or budget_uses.saved is null)) limit ${DIFFERENCES_MAX}`.execute(tx)
  return rows
}

/** Open holds on budgets, what windows hold, and the budgets that exist. */
export async function readHolds(tx: Database) {
  const db = withBudgetTables(tx)
  const holds = await db
    .selectFrom('holds')
    .select(['budgets', 'amount'])
    .where('budgets', 'is not', null)
    .execute()
  const windows = await db
    .selectFrom('budget_windows')
    .select(['budget_id', 'starts_at', 'held'])
    .where('held', '!=', 0)
    .where('budget_id', 'not in', db.selectFrom('deleted_budgets').select('budget_id'))
    .execute()
  const budgets = await db.selectFrom('budgets').select('id').execute()
  return { holds, windows, budgetIds: new Set(budgets.map(({ id }) => id)) }
}
