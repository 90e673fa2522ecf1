import type { Migration } from './migration.ts'

/** What happens to requests of a token that ask for a service tier, or for tools that the vendor runs. */
export const tokenPolicies: Migration = {
  name: '0027-token-policies',
  async up(db) {
    for (const column of ['service_tier', 'server_tools'])
      await db.schema
        .alterTable('tokens')
        .addColumn(column, 'text', c => c.notNull().defaultTo('allow'))
        .execute()
  },
}
