import type { Migration } from '#server/db/migrations/migration.ts'

/** Which identity provider has made somebody a member. */
export const mappedMembers: Migration = {
  name: '0108-mapped-members',
  async up(db) {
    await db.schema
      .alterTable('organization_members')
      .addColumn('source', 'text', c => c.notNull().defaultTo(''))
      .execute()
  },
}
