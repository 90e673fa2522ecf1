import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** The effort to which a budget lowers that of requests. */
export const budgetEfforts: Migration = {
  name: '0104-budget-efforts',
  async up(db) {
    await sql.raw("alter table budgets add column bend_effort text not null default ''").execute(db)
  },
}
