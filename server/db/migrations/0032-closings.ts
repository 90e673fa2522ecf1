import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Whether a request was closed is asked when its hold is gone, under the lock of its wallet. */
export const closings: Migration = {
  name: '0032-closings',
  async up(db) {
    await sql`create index postings_closings on postings (request_id) where kind in ('charge', 'release')`.execute(
      db,
    )
  },
}
