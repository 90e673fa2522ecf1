import { type Kysely, sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/**
 * SQLite compares whole rows to find one in a table without rowids, so that megabytes of texts were read for each comparison,
 * whoever's they were. Texts come last, since what stands behind a long one is found only by reading it.
 */
export const stateWithRowids: Migration = {
  name: '0087-state-with-rowids',
  async up(db, engine) {
    if (engine !== 'sqlite') return
    await rebuild(db, 'stored_responses', [
      'id text not null primary key',
      'user_id bigint not null references users (id) on delete cascade',
      'previous_id text',
      'bytes bigint not null',
      'used_at bigint not null',
      'expires_at bigint not null',
      'token_id bigint',
      'is_private integer not null default 0',
      'response_encrypted text',
      'input_encrypted text not null',
    ])
    await rebuild(db, 'conversation_items', [
      'conversation_id text not null references conversations (id) on delete cascade',
      'position text not null',
      'item_id text not null',
      'item_encrypted text not null',
      'constraint conversation_items_key primary key (conversation_id, position)',
    ])
    const indexes = [
      'stored_responses_user_id on stored_responses (user_id, used_at, id, bytes)',
      'stored_responses_expires_at on stored_responses (expires_at)',
      'conversation_items_item_id on conversation_items (conversation_id, item_id)',
    ]
    for (const index of indexes) await sql`create index ${sql.raw(index)}`.execute(db)
  },
}

/** Replaces a table to which no other one refers, with its rows. Its indexes go with it. */
async function rebuild(db: Kysely<unknown>, name: string, columns: readonly string[]): Promise<void> {
  const names = columns.filter(column => !column.startsWith('constraint')).map(column => column.split(' ')[0])
  const [table, copy, list] = [name, `${name}_copy`, names.join(', ')].map(text => sql.raw(text))
  await sql`create table ${copy} (${sql.raw(columns.join(', '))})`.execute(db)
  await sql`insert into ${copy} (${list}) select ${list} from ${table}`.execute(db)
  await sql`drop table ${table}`.execute(db)
  await sql`alter table ${copy} rename to ${table}`.execute(db)
}
