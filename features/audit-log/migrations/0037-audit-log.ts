import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Who changed what: rows that are only added, each with a keyed hash over itself and its predecessor. */
export const auditLog: Migration = {
  name: '0037-audit-log',
  async up(db) {
    await db.schema
      .createTable('audit_log')
      .addColumn('id', 'bigint', c => c.notNull().primaryKey())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('actor_id', 'bigint', c => c.notNull())
      .addColumn('actor_name', 'text', c => c.notNull())
      .addColumn('credential', 'text', c => c.notNull())
      .addColumn('address', 'text', c => c.notNull())
      .addColumn('request_id', 'text', c => c.notNull())
      .addColumn('action', 'text', c => c.notNull())
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('code', 'text', c => c.notNull())
      .addColumn('details', 'text', c => c.notNull())
      .addColumn('hash', 'text', c => c.notNull())
      .execute()
    await sql`create index audit_log_actor on audit_log (actor_id, id)`.execute(db)
    await sql`create index audit_log_kind on audit_log (kind, id)`.execute(db)
    await sql`create index audit_log_time on audit_log (created_at, id)`.execute(db)
    await db.schema
      .createTable('audit_targets')
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('target', 'text', c => c.notNull())
      .addColumn('audit_id', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('audit_targets_key', ['kind', 'target', 'audit_id'])
      .execute()
    await sql`create index audit_targets_row on audit_targets (audit_id)`.execute(db)
    await db.schema
      .createTable('audit_ends')
      .addColumn('name', 'text', c => c.notNull().primaryKey())
      .addColumn('audit_id', 'bigint', c => c.notNull())
      .addColumn('hash', 'text', c => c.notNull())
      .addColumn('proof', 'text', c => c.notNull())
      .execute()
    await sql`insert into audit_ends (name, audit_id, hash, proof) values ('first', 0, '', ''), ('last', 0, '', '')`.execute(
      db,
    )
  },
}
