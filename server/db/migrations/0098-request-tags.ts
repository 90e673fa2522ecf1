import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** What clients say their requests are for. Found by request with its log row, and by key and time in reports. */
export const requestTags: Migration = {
  name: '0098-request-tags',
  async up(db, engine) {
    const end = engine === 'sqlite' ? 'without rowid' : ''
    await sql
      .raw(
        `create table request_tags (request_id text not null, "key" text not null, value text not null,
          created_at bigint not null, primary key (request_id, "key")) ${end}`,
      )
      .execute(db)
    await sql`create index request_tags_key on request_tags ("key", created_at, value)`.execute(db)
  },
}
