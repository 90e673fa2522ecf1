import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Budgets bound more than users and tokens: members of an organisation, projects, subscriptions. */
export const budgetSubjects: Migration = {
  name: '0092-budget-subjects',
  async up(db) {
    const statements = [
      `alter table budgets add column subject text not null default 'user'`,
      'alter table budgets add column subject_id bigint not null default 0',
      `update budgets set subject = case when token_id > 0 then 'token' else 'user' end,
        subject_id = case when token_id > 0 then token_id else user_id end`,
      'drop index budgets_token_id',
      'alter table budgets drop column token_id',
      'create index budgets_subject on budgets (subject, subject_id)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
