import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

const FAILURE = 5
const REJECTION = 7

/** The index of failed requests contains rejected ones, too. */
export const rejectedRequests: Migration = {
  name: '0038-rejected-requests',
  async up(db) {
    await sql`drop index logs_errors`.execute(db)
    await sql`create index logs_errors on logs (created_at, id, error, channel_id, model_name, user_id)
      where type in (${sql.lit(FAILURE)}, ${sql.lit(REJECTION)})`.execute(db)
  },
}
