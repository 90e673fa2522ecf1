import type { Migration } from './migration.ts'

/** What a token may do at once and in a minute; 0: no limit. */
export const tokenLimits: Migration = {
  name: '0007-token-limits',
  async up(db) {
    for (const column of ['max_concurrency', 'requests_per_minute'])
      await db.schema
        .alterTable('tokens')
        .addColumn(column, 'bigint', c => c.notNull().defaultTo(0))
        .execute()
  },
}
