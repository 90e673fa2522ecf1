import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** OpenID providers, whom their subjects are here, and the sessions that began with one. */
export const openIdProviders: Migration = {
  name: '0036-openid-providers',
  async up(db, engine) {
    const withoutRowid = engine === 'sqlite' ? sql`without rowid` : sql``
    await db.schema
      .createTable('openid_providers')
      .modifyEnd(withoutRowid)
      .addColumn('slug', 'text', c => c.notNull().primaryKey())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('issuer', 'text', c => c.notNull())
      .addColumn('client_id', 'text', c => c.notNull())
      .addColumn('client_secret_sealed', 'text', c => c.notNull())
      .addColumn('is_enabled', 'integer', c => c.notNull())
      .addColumn('scopes', 'text', c => c.notNull())
      .addColumn('provisioning', 'text', c => c.notNull())
      .addColumn('domains', 'text', c => c.notNull())
      .addColumn('groups_claim', 'text', c => c.notNull())
      .addColumn('required_groups', 'text', c => c.notNull())
      .addColumn('rules', 'text', c => c.notNull())
      .addColumn('signs_out', 'integer', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('updated_at', 'bigint', c => c.notNull())
      .execute()
    await db.schema
      .createTable('openid_identities')
      .modifyEnd(withoutRowid)
      .addColumn('provider', 'text', c => c.notNull())
      .addColumn('subject', 'text', c => c.notNull())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('openid_identities_key', ['provider', 'subject'])
      .execute()
    await db.schema
      .createTable('openid_sessions')
      .modifyEnd(withoutRowid)
      .addColumn('handle_hash', 'text', c => c.notNull().primaryKey())
      .addColumn('provider', 'text', c => c.notNull())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('sid', 'text', c => c.notNull())
      .addColumn('id_token_sealed', 'text', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await db.schema
      .createIndex('openid_identities_user')
      .on('openid_identities')
      .columns(['user_id', 'provider'])
      .unique()
      .execute()
    await db.schema
      .createIndex('openid_sessions_sid')
      .on('openid_sessions')
      .columns(['provider', 'sid'])
      .execute()
    await db.schema.createIndex('openid_sessions_user').on('openid_sessions').column('user_id').execute()
    await db.schema.createIndex('openid_sessions_expiry').on('openid_sessions').column('expires_at').execute()
  },
}
