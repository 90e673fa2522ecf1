import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** The rule by which a budget replaces a model, and what that saved. */
export const budgetBends: Migration = {
  name: '0097-budget-bends',
  async up(db) {
    const statements = [
      'alter table budgets add column bend_percent bigint not null default 0',
      "alter table budgets add column bend_from text not null default ''",
      "alter table budgets add column bend_to text not null default ''",
      'alter table budget_windows add column saved bigint not null default 0',
      'alter table budget_uses add column saved bigint',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
