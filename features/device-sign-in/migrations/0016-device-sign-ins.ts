import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Programs that sign in by device code: codes that wait for a decision, and the refresh tokens of those allowed. */
export const deviceSignIns: Migration = {
  name: '0016-device-sign-ins',
  async up(db, engine) {
    const withoutRowid = engine === 'sqlite' ? sql`without rowid` : sql``
    await db.schema
      .createTable('device_codes')
      .modifyEnd(withoutRowid)
      .addColumn('device_hash', 'text', c => c.notNull().primaryKey())
      .addColumn('user_code_hash', 'text', c => c.notNull().unique())
      .addColumn('client_name', 'text', c => c.notNull())
      .addColumn('address', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .addColumn('polled_at_ms', 'bigint', c => c.notNull().defaultTo(0))
      .addColumn('decision', 'text', c => c.notNull().defaultTo('pending'))
      .addColumn('user_id', 'bigint', c => c.references('users.id').onDelete('cascade'))
      .addColumn('token_name', 'text', c => c.notNull().defaultTo(''))
      .addColumn('token_group', 'text', c => c.notNull().defaultTo(''))
      .execute()
    await db.schema
      .createTable('device_grants')
      .modifyEnd(withoutRowid)
      .addColumn('family_hash', 'text', c => c.notNull().primaryKey())
      .addColumn('secret_hash', 'text', c => c.notNull())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('token_id', 'bigint', c => c.notNull().unique().references('tokens.id').onDelete('cascade'))
      .addColumn('network_hash', 'text', c => c.notNull())
      .addColumn('access_expires_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const table of ['device_codes', 'device_grants'])
      await db.schema.createIndex(`${table}_expires_at`).on(table).column('expires_at').execute()
    await db.schema.createIndex('device_grants_user_id').on('device_grants').column('user_id').execute()
    await db.schema.createIndex('device_codes_user_id').on('device_codes').column('user_id').execute()
  },
}
