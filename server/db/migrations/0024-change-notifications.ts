import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * Changes and heartbeats are notified by triggers, so that no statement that makes one can forget it: neither an import nor
 * an earlier version of the gateway on the same database.
 */
export const changeNotifications: Migration = {
  name: '0024-change-notifications',
  async up(db, engine) {
    if (engine === 'sqlite') return
    await sql`create function tollgate_notify() returns trigger language plpgsql as $$ begin
      perform pg_notify('tollgate-changes', tg_argv[0]); return null; end $$`.execute(db)
    await sql`create trigger tollgate_notify after insert or update on topics
      for each row execute function tollgate_notify('change')`.execute(db)
    await sql`create trigger tollgate_notify after insert or update on processes
      for each row execute function tollgate_notify('heartbeat')`.execute(db)
  },
}
