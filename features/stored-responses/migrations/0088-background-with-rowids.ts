import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** As 0087: a look at the status of one response read megabytes of others. Events come along, since their rows refer to responses. */
export const backgroundWithRowids: Migration = {
  name: '0088-background-with-rowids',
  async up(db, engine) {
    if (engine !== 'sqlite') return
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  },
}

const RESPONSE =
  'id, user_id, status, is_cancelled, alive_at, expires_at, token_id, is_private, response_encrypted'
const EVENT = 'response_id, last_number, events_encrypted'

/** SQLite changes the reference of the events when it renames the responses, and drops nothing of rows that refer to a copy. */
const STATEMENTS = [
  `create table background_responses_copy (
    id text not null primary key,
    user_id bigint not null references users (id) on delete cascade,
    status text not null,
    is_cancelled integer not null default 0,
    alive_at bigint not null,
    expires_at bigint not null,
    token_id bigint,
    is_private integer not null default 0,
    response_encrypted text not null
  )`,
  `create table background_events_copy (
    response_id text not null references background_responses_copy (id) on delete cascade,
    last_number bigint not null,
    events_encrypted text not null,
    constraint background_events_key primary key (response_id, last_number)
  )`,
  `insert into background_responses_copy (${RESPONSE}) select ${RESPONSE} from background_responses`,
  `insert into background_events_copy (${EVENT}) select ${EVENT} from background_events`,
  'drop table background_events',
  'drop table background_responses',
  'alter table background_responses_copy rename to background_responses',
  'alter table background_events_copy rename to background_events',
  'create index background_responses_user_id on background_responses (user_id)',
  'create index background_responses_expires_at on background_responses (expires_at)',
]
