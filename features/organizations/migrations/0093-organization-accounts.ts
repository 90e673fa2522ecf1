import type { Migration } from '#server/db/migrations/migration.ts'

/** Accounts that nobody signs in to, and the members and projects that their tokens belong to. */
export const organizationAccounts: Migration = {
  name: '0093-organization-accounts',
  async up(db) {
    await db.schema
      .alterTable('users')
      .addColumn('kind', 'text', c => c.notNull().defaultTo('person'))
      .execute()
    for (const column of ['member_id', 'project_id'] as const) {
      await db.schema
        .alterTable('tokens')
        .addColumn(column, 'bigint', c => c.notNull().defaultTo(0))
        .execute()
      await db.schema
        .createIndex(`tokens_${column}`)
        .on('tokens')
        .column(column)
        .where(column, '<>', 0)
        .execute()
    }
  },
}
