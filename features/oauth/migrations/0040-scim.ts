import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Users and groups that identity providers keep up to date here by SCIM. */
export const scim: Migration = {
  name: '0040-scim',
  async up(db, engine) {
    const withoutRowid = engine === 'sqlite' ? sql`without rowid` : sql``
    await db.schema
      .alterTable('openid_providers')
      .addColumn('scim_token_hash', 'text', c => c.notNull().defaultTo(''))
      .execute()
    await db.schema
      .alterTable('openid_providers')
      .addColumn('subject_claim', 'text', c => c.notNull().defaultTo('sub'))
      .execute()
    await db.schema
      .createTable('scim_users')
      .modifyEnd(withoutRowid)
      .addColumn('id', 'text', c => c.notNull().primaryKey())
      .addColumn('provider', 'text', c => c.notNull())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('user_name', 'text', c => c.notNull())
      .addColumn('external_id', 'text', c => c.notNull())
      .addColumn('is_active', 'integer', c => c.notNull())
      .addColumn('body', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('updated_at', 'bigint', c => c.notNull())
      .addColumn('version', 'bigint', c => c.notNull())
      .addColumn('deleted_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('scim_groups')
      .modifyEnd(withoutRowid)
      .addColumn('id', 'text', c => c.notNull().primaryKey())
      .addColumn('provider', 'text', c => c.notNull())
      .addColumn('display_name', 'text', c => c.notNull())
      .addColumn('external_id', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('updated_at', 'bigint', c => c.notNull())
      .addColumn('version', 'bigint', c => c.notNull())
      .execute()
    await db.schema
      .createTable('scim_members')
      .modifyEnd(withoutRowid)
      .addColumn('group_id', 'text', c => c.notNull().references('scim_groups.id').onDelete('cascade'))
      .addColumn('scim_user_id', 'text', c => c.notNull().references('scim_users.id').onDelete('cascade'))
      .addColumn('display', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('scim_members_key', ['group_id', 'scim_user_id'])
      .execute()
    const unique = { scim_users: 'user_name', scim_groups: 'display_name' }
    for (const [table, column] of Object.entries(unique))
      await db.schema
        .createIndex(`${table}_${column}`)
        .on(table)
        .columns(['provider', column])
        .unique()
        .execute()
    await db.schema
      .createIndex('scim_users_user')
      .on('scim_users')
      .columns(['user_id', 'provider'])
      .unique()
      .execute()
    await db.schema
      .createIndex('scim_users_external_id')
      .on('scim_users')
      .columns(['provider', 'external_id'])
      .execute()
    await db.schema.createIndex('scim_members_user').on('scim_members').column('scim_user_id').execute()
  },
}
