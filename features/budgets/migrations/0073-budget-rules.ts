import type { Migration } from '#server/db/migrations/migration.ts'

/** Whom a budget bounds and when. A use counts in the window in which its hold was made. */
export const budgetRules: Migration = {
  name: '0073-budget-rules',
  async up(db) {
    const texts = ['name', 'group', 'model', 'time_zone'] as const
    const numbers = ['token_id', 'hours', 'warn_percent', 'warned_at', 'is_managed', 'created_at'] as const
    for (const column of texts)
      await db.schema
        .alterTable('budgets')
        .addColumn(column, 'text', c => c.notNull().defaultTo(''))
        .execute()
    for (const column of numbers)
      await db.schema
        .alterTable('budgets')
        .addColumn(column, 'bigint', c => c.notNull().defaultTo(0))
        .execute()
    for (const column of ['is_hard', 'is_enabled'])
      await db.schema
        .alterTable('budgets')
        .addColumn(column, 'bigint', c => c.notNull().defaultTo(1))
        .execute()
    await db.schema
      .alterTable('budgets')
      .addColumn('period', 'text', c => c.notNull().defaultTo('none'))
      .execute()
    await db.schema.createIndex('budgets_token_id').on('budgets').column('token_id').execute()
  },
}
