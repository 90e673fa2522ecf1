import type { Migration } from './migration.ts'

/** How often somebody did something lately, for limits that hold across processes. */
export const rateWindows: Migration = {
  name: '0005-rate-windows',
  async up(db) {
    await db.schema
      .createTable('rate_windows')
      .addColumn('subject', 'text', c => c.primaryKey())
      .addColumn('slices', 'text', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await db.schema.createIndex('rate_windows_expiry').on('rate_windows').column('expires_at').execute()
  },
}
