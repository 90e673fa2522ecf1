import { type CreateTableBuilder, type Kysely, sql } from 'kysely'

import type { Engine, Migration } from './migration.ts'

type Database = Kysely<unknown>

/** All tables of the first release. Integers are 64 bits wide and texts unlimited on both engines. */
export const firstTables: Migration = {
  name: '0001-first-tables',
  async up(db, engine) {
    await createAccounts(db, engine)
    await createRouting(db, engine)
    await createMoneyIn(db, engine)
    await createTasks(db, engine)
    await createBooks(db, engine)
    await createLogs(db, engine)
    await createCoordination(db)
  },
}

async function createAccounts(db: Database, engine: Engine): Promise<void> {
  await numbered(db, engine, 'users')
    .addColumn('username', 'text', c => c.notNull().unique())
    .addColumn('display_name', 'text', c => c.notNull().defaultTo(''))
    .addColumn('password_hash', 'text', c => c.notNull().defaultTo(''))
    .addColumn('must_change_password', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('role', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('status', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('email', 'text', c => c.notNull().defaultTo(''))
    .addColumn('github_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('linux_do_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('wechat_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('telegram_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('access_token_hash', 'text', c => c.unique())
    .addColumn('quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('held_quota', 'bigint', c => c.notNull().defaultTo(0).check(sql`held_quota >= 0`))
    .addColumn('used_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('request_count', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('group', 'text', c => c.notNull().defaultTo('default'))
    .addColumn('aff_code', 'text', c => c.notNull().unique())
    .addColumn('aff_count', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('aff_quota', 'bigint', c => c.notNull().defaultTo(0).check(sql`aff_quota >= 0`))
    .addColumn('aff_history_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('inviter_id', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('setting', 'text', c => c.notNull().defaultTo(''))
    .addColumn('warned_at', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('last_login_at', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('deleted_at', 'bigint')
    .execute()
  for (const column of ['email', 'github_id', 'linux_do_id', 'wechat_id', 'telegram_id', 'inviter_id'])
    await db.schema.createIndex(`users_${column}`).on('users').column(column).execute()

  await db.schema
    .createTable('sessions')
    .addColumn('id_hash', 'text', c => c.primaryKey())
    .addColumn('user_id', 'bigint')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .addColumn('authenticated_at', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('state', 'text', c => c.notNull().defaultTo('{}'))
    .execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute()

  await numbered(db, engine, 'tokens')
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('key_hash', 'text', c => c.notNull().unique())
    .addColumn('key_sealed', 'text', c => c.notNull())
    .addColumn('status', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('created_time', 'bigint', c => c.notNull())
    .addColumn('accessed_time', 'bigint', c => c.notNull())
    .addColumn('expired_time', 'bigint', c => c.notNull().defaultTo(-1))
    .addColumn('remain_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('used_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('unlimited_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('model_limits_enabled', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('model_limits', 'text', c => c.notNull().defaultTo(''))
    .addColumn('allow_ips', 'text', c => c.notNull().defaultTo(''))
    .addColumn('group', 'text', c => c.notNull().defaultTo(''))
    .addColumn('deleted_at', 'bigint')
    .execute()
  await db.schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'id']).execute()
}

async function createRouting(db: Database, engine: Engine): Promise<void> {
  await numbered(db, engine, 'channels')
    .addColumn('type', 'bigint', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('key_hash', 'text', c => c.notNull())
    .addColumn('key_sealed', 'text', c => c.notNull())
    .addColumn('openai_organization', 'text', c => c.notNull().defaultTo(''))
    .addColumn('test_model', 'text', c => c.notNull().defaultTo(''))
    .addColumn('status', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('weight', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('priority', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('created_time', 'bigint', c => c.notNull())
    .addColumn('test_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('response_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('base_url', 'text', c => c.notNull().defaultTo(''))
    .addColumn('other', 'text', c => c.notNull().defaultTo(''))
    .addColumn('balance', 'double precision', c => c.notNull().defaultTo(0))
    .addColumn('balance_updated_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('models', 'text', c => c.notNull())
    .addColumn('group', 'text', c => c.notNull().defaultTo('default'))
    .addColumn('used_quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('model_mapping', 'text', c => c.notNull().defaultTo(''))
    .addColumn('status_code_mapping', 'text', c => c.notNull().defaultTo(''))
    .addColumn('setting', 'text', c => c.notNull().defaultTo(''))
    .addColumn('param_override', 'text', c => c.notNull().defaultTo(''))
    .addColumn('other_info', 'text', c => c.notNull().defaultTo(''))
    .addColumn('auto_ban', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('tag', 'text', c => c.notNull().defaultTo(''))
    .addColumn('max_input_tokens', 'bigint', c => c.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('channels_tag').on('channels').column('tag').execute()
  await db.schema.createIndex('channels_priority').on('channels').columns(['priority', 'id']).execute()

  await db.schema
    .createTable('abilities')
    .addColumn('group', 'text', c => c.notNull())
    .addColumn('model', 'text', c => c.notNull())
    .addColumn('channel_id', 'bigint', c => c.notNull())
    .addColumn('enabled', 'bigint', c => c.notNull())
    .addColumn('priority', 'bigint', c => c.notNull())
    .addColumn('weight', 'bigint', c => c.notNull())
    .addColumn('tag', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('abilities_key', ['group', 'model', 'channel_id'])
    .execute()
  await db.schema.createIndex('abilities_channel').on('abilities').column('channel_id').execute()

  await db.schema
    .createTable('options')
    .addColumn('key', 'text', c => c.primaryKey())
    .addColumn('value', 'text', c => c.notNull())
    .execute()
}

async function createMoneyIn(db: Database, engine: Engine): Promise<void> {
  await numbered(db, engine, 'redemptions')
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('key_hash', 'text', c => c.notNull().unique())
    .addColumn('key_sealed', 'text', c => c.notNull())
    .addColumn('status', 'bigint', c => c.notNull().defaultTo(1))
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('quota', 'bigint', c => c.notNull().check(sql`quota >= 0`))
    .addColumn('created_time', 'bigint', c => c.notNull())
    .addColumn('redeemed_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('used_user_id', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('deleted_at', 'bigint')
    .execute()

  await numbered(db, engine, 'top_ups')
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('trade_no', 'text', c => c.notNull().unique())
    .addColumn('quota', 'bigint', c => c.notNull())
    .addColumn('money_cents', 'bigint', c => c.notNull())
    .addColumn('payment_method', 'text', c => c.notNull())
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('completed_at', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('timeline', 'text', c => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema.createIndex('top_ups_user').on('top_ups').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('top_ups_status').on('top_ups').columns(['status', 'created_at']).execute()

  await db.schema
    .createTable('mail_codes')
    .addColumn('address_hash', 'text', c => c.primaryKey())
    .addColumn('code_hash', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .addColumn('attempts', 'bigint', c => c.notNull().defaultTo(0))
    .execute()
}

async function createTasks(db: Database, engine: Engine): Promise<void> {
  await numbered(db, engine, 'drawings')
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('token_id', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('channel_id', 'bigint', c => c.notNull())
    .addColumn('request_id', 'text', c => c.notNull().unique())
    .addColumn('mj_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('action', 'text', c => c.notNull())
    .addColumn('mode', 'text', c => c.notNull().defaultTo(''))
    .addColumn('code', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('prompt', 'text', c => c.notNull().defaultTo(''))
    .addColumn('prompt_en', 'text', c => c.notNull().defaultTo(''))
    .addColumn('description', 'text', c => c.notNull().defaultTo(''))
    .addColumn('state', 'text', c => c.notNull().defaultTo(''))
    .addColumn('submit_time_ms', 'bigint', c => c.notNull())
    .addColumn('start_time_ms', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('finish_time_ms', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('image_url', 'text', c => c.notNull().defaultTo(''))
    .addColumn('status', 'text', c => c.notNull().defaultTo(''))
    .addColumn('progress', 'text', c => c.notNull().defaultTo(''))
    .addColumn('fail_reason', 'text', c => c.notNull().defaultTo(''))
    .addColumn('quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('buttons', 'text', c => c.notNull().defaultTo(''))
    .addColumn('properties', 'text', c => c.notNull().defaultTo(''))
    .execute()
  await db.schema.createIndex('drawings_user').on('drawings').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('drawings_mj').on('drawings').column('mj_id').execute()
  await db.schema
    .createIndex('drawings_progress')
    .on('drawings')
    .columns(['progress', 'channel_id'])
    .execute()

  await numbered(db, engine, 'tasks')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('updated_at', 'bigint', c => c.notNull())
    .addColumn('task_id', 'text', c => c.notNull().defaultTo(''))
    .addColumn('platform', 'text', c => c.notNull())
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('token_id', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('channel_id', 'bigint', c => c.notNull())
    .addColumn('request_id', 'text', c => c.notNull().unique())
    .addColumn('quota', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('action', 'text', c => c.notNull())
    .addColumn('status', 'text', c => c.notNull().defaultTo(''))
    .addColumn('fail_reason', 'text', c => c.notNull().defaultTo(''))
    .addColumn('submit_time', 'bigint', c => c.notNull())
    .addColumn('start_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('finish_time', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('progress', 'text', c => c.notNull().defaultTo(''))
    .addColumn('properties', 'text', c => c.notNull().defaultTo(''))
    .addColumn('data', 'text', c => c.notNull().defaultTo(''))
    .execute()
  await db.schema.createIndex('tasks_user').on('tasks').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('tasks_task').on('tasks').column('task_id').execute()
  await db.schema.createIndex('tasks_progress').on('tasks').columns(['progress', 'channel_id']).execute()
}

async function createBooks(db: Database, engine: Engine): Promise<void> {
  await keyed(db, engine, 'holds')
    .addColumn('request_id', 'text', c => c.primaryKey())
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('token_id', 'bigint')
    .addColumn('is_token_limited', 'bigint', c => c.notNull())
    .addColumn('amount', 'bigint', c => c.notNull().check(sql`amount >= 0`))
    .addColumn('process_id', 'text', c => c.notNull())
    .addColumn('opened_at', 'bigint', c => c.notNull())
    .execute()

  await appended(db, engine, 'postings')
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('from_account', 'text', c => c.notNull())
    .addColumn('to_account', 'text', c => c.notNull())
    .addColumn('amount', 'bigint', c => c.notNull().check(sql`amount >= 0`))
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('token_id', 'bigint')
    .addColumn('is_token_limited', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('channel_id', 'bigint')
    .addColumn('request_id', 'text', c => c.notNull())
    .addColumn('actor_id', 'bigint', c => c.notNull().defaultTo(0))
    .addColumn('reason', 'text', c => c.notNull().defaultTo(''))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
}

async function createLogs(db: Database, engine: Engine): Promise<void> {
  await numbered(db, engine, 'logs')
    .addColumn('request_id', 'text', c => c.notNull())
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('type', 'bigint', c => c.notNull())
    .addColumn('username', 'text', c => c.notNull())
    .addColumn('token_id', 'bigint', c => c.notNull())
    .addColumn('token_name', 'text', c => c.notNull())
    .addColumn('model_name', 'text', c => c.notNull())
    .addColumn('channel_id', 'bigint', c => c.notNull())
    .addColumn('group', 'text', c => c.notNull())
    .addColumn('quota', 'bigint', c => c.notNull())
    .addColumn('prompt_tokens', 'bigint', c => c.notNull())
    .addColumn('completion_tokens', 'bigint', c => c.notNull())
    .addColumn('use_time', 'bigint', c => c.notNull())
    .addColumn('is_stream', 'bigint', c => c.notNull())
    .addColumn('content', 'text', c => c.notNull())
    .execute()
  await db.schema.createIndex('logs_time').on('logs').columns(['created_at', 'id']).execute()
  await db.schema.createIndex('logs_user').on('logs').columns(['user_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('logs_request').on('logs').column('request_id').execute()

  await db.schema
    .createTable('receipts')
    .addColumn('log_id', engine === 'sqlite' ? 'integer' : 'bigint', c => c.primaryKey())
    .addColumn('body', 'text', c => c.notNull())
    .execute()

  await keyed(db, engine, 'usage_hours')
    .addColumn('hour', 'bigint', c => c.notNull())
    .addColumn('user_id', 'bigint', c => c.notNull())
    .addColumn('token_id', 'bigint', c => c.notNull())
    .addColumn('channel_id', 'bigint', c => c.notNull())
    .addColumn('model_name', 'text', c => c.notNull())
    .addColumn('group', 'text', c => c.notNull())
    .addColumn('type', 'bigint', c => c.notNull())
    .addColumn('count', 'bigint', c => c.notNull())
    .addColumn('quota', 'bigint', c => c.notNull())
    .addColumn('prompt_tokens', 'bigint', c => c.notNull())
    .addColumn('completion_tokens', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('usage_hours_key', [
      'hour',
      'user_id',
      'token_id',
      'channel_id',
      'model_name',
      'group',
      'type',
    ])
    .execute()
  await db.schema.createIndex('usage_hours_user').on('usage_hours').columns(['user_id', 'hour']).execute()
}

async function createCoordination(db: Database): Promise<void> {
  await db.schema
    .createTable('topics')
    .addColumn('topic', 'text', c => c.primaryKey())
    .addColumn('version', 'bigint', c => c.notNull())
    .execute()
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('started_at', 'bigint', c => c.notNull())
    .addColumn('seen_at', 'bigint', c => c.notNull())
    .execute()
}

/** A table whose rows the database numbers, never using a number twice. */
function numbered(db: Database, engine: Engine, table: string): CreateTableBuilder<string, 'id'> {
  const created = db.schema.createTable(table)
  return engine === 'sqlite'
    ? created.addColumn('id', 'integer', column => column.primaryKey().autoIncrement())
    : created.addColumn('id', sql`bigint generated by default as identity`, column => column.primaryKey())
}

/** A table whose rows are never deleted: the database need not remember the highest number ever given. */
function appended(db: Database, engine: Engine, table: string): CreateTableBuilder<string, 'id'> {
  return engine === 'sqlite'
    ? db.schema.createTable(table).addColumn('id', 'integer', column => column.primaryKey())
    : numbered(db, engine, table)
}

/** A table that is its primary key's tree: one page less to write for each change. */
function keyed(db: Database, engine: Engine, table: string): CreateTableBuilder<string> {
  const created = db.schema.createTable(table)
  return engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created
}
