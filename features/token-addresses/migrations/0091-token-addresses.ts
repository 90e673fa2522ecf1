import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** From where each token was used. */
export const tokenAddresses: Migration = {
  name: '0091-token-addresses',
  async up(db, engine) {
    const created = db.schema.createTable('token_addresses')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('token_id', 'bigint', c => c.notNull())
      .addColumn('address', 'text', c => c.notNull())
      .addColumn('first_time', 'bigint', c => c.notNull())
      .addColumn('last_time', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('token_addresses_key', ['token_id', 'address'])
      .execute()
    await db.schema
      .createIndex('token_addresses_last_time')
      .on('token_addresses')
      .column('last_time')
      .execute()
  },
}
