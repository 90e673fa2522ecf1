import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Budgets that are gone and whose counts are not: there may be a row for each request. */
export const deletedBudgets: Migration = {
  name: '0106-deleted-budgets',
  async up(db) {
    await sql.raw('create table deleted_budgets (budget_id bigint primary key)').execute(db)
  },
}
