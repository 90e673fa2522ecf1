import type { Migration } from '#server/db/migrations/migration.ts'

/** Which groups of a provider are members of which organisations. */
export const membershipRules: Migration = {
  name: '0109-membership-rules',
  async up(db) {
    await db.schema
      .alterTable('openid_providers')
      .addColumn('memberships', 'text', c => c.notNull().defaultTo('[]'))
      .execute()
  },
}
