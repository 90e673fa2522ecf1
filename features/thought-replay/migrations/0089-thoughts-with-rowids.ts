import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** SQLite compares whole rows to find one in a table without rowids, so that looking for one thought read the texts of others. */
export const thoughtsWithRowids: Migration = {
  name: '0089-thoughts-with-rowids',
  async up(db, engine) {
    if (engine !== 'sqlite') return
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  },
}

const COLUMNS = 'handle, user_id, bytes, expires_at, thought_encrypted'

/** The text comes last, since what stands behind a long one is found only by reading it. */
const STATEMENTS = [
  `create table thoughts_copy (
    handle text not null primary key,
    user_id bigint not null references users (id) on delete cascade,
    bytes bigint not null,
    expires_at bigint not null,
    thought_encrypted text not null
  )`,
  `insert into thoughts_copy (${COLUMNS}) select ${COLUMNS} from thoughts`,
  'drop table thoughts',
  'alter table thoughts_copy rename to thoughts',
  'create index thoughts_of_user on thoughts (user_id, expires_at, handle, bytes)',
  'create index thoughts_expires_at on thoughts (expires_at)',
]
