import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** What vendors keep for one account only, and the account, so that later requests reach it. */
export const accountHandles: Migration = {
  name: '0011-account-handles',
  async up(db, engine) {
    const created = db.schema.createTable('account_handles')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('handle', 'text', c => c.notNull().primaryKey())
      .addColumn('user_id', 'bigint', c => c.notNull())
      .addColumn('channel_id', 'bigint', c => c.notNull())
      .addColumn('key_hash', 'text', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await db.schema
      .createIndex('account_handles_expires_at')
      .on('account_handles')
      .column('expires_at')
      .execute()
  },
}
