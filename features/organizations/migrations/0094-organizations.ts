import { type Kysely, sql } from 'kysely'
import type { Engine, Migration } from '#server/db/migrations/migration.ts'

/** Members of organisations and their projects. The organisation itself is an account. */
export const organizations: Migration = {
  name: '0094-organizations',
  async up(db, engine) {
    await numbered(db, engine, 'organization_members')
      .addColumn('user_id', 'bigint')
      .addColumn('email', 'text', c => c.notNull().defaultTo(''))
      .addColumn('role', 'text', c => c.notNull())
      .addColumn('status', 'text', c => c.notNull())
      .addColumn('invitation_hash', 'text', c => c.unique())
      .addColumn('invited_until', 'bigint', c => c.notNull().defaultTo(0))
      .addColumn('joined_at', 'bigint', c => c.notNull().defaultTo(0))
      .addColumn('ended_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
    await numbered(db, engine, 'organization_projects')
      .addColumn('ends_at', 'bigint', c => c.notNull().defaultTo(0))
      .addColumn('closed_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
    for (const table of ['organization_members', 'organization_projects'])
      await db.schema.createIndex(`${table}_of`).on(table).columns(['organization_id', 'id']).execute()
    // A person is a member once at a time.
    await db.schema
      .createIndex('organization_members_person')
      .unique()
      .on('organization_members')
      .columns(['user_id', 'organization_id'])
      .where(sql<boolean>`status = 'active'`)
      .execute()
    await db.schema
      .createIndex('organization_members_ended')
      .on('organization_members')
      .column('ended_at')
      .execute()
  },
}

/** Ids are never given out again, since tokens and budgets name them. */
function numbered(db: Kysely<unknown>, engine: Engine, name: string) {
  const table = db.schema.createTable(name)
  const withId =
    engine === 'sqlite'
      ? table.addColumn('id', 'integer', c => c.primaryKey().autoIncrement())
      : table.addColumn('id', 'bigint', c => c.primaryKey().generatedByDefaultAsIdentity())
  return withId
    .addColumn('organization_id', 'bigint', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
}
