import { Database as SqliteFile } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob, SQL } from 'bun'
import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { migrations } from '../testing/migrations.ts'
import { configured, migrate, type OpenDatabase, openDatabase, openSqlite } from './engine/database.ts'
import type { RequestLogRow } from './logs/log-writes.ts'

const NAME_LETTERS = 12
/** Enough for transactions to conflict. Each connection is a server process that loads the catalogue of tables first. */
const CONNECTIONS = 2
/** The advisory lock under which the template is created. */
const TEMPLATE_LOCK = 20_261_122
const PROJECT = join(import.meta.dir, '..', '..')

let template: Promise<string> | undefined
let admin: SQL | undefined
let migratedFile: Promise<Uint8Array> | undefined

/**
 * Opens a fresh, migrated database: SQLite in memory or, when `TEST_DATABASE_URL` names a PostgreSQL server, a database
 * there, which `close` drops. It is a copy of a template, since the migrations take longer than most tests.
 */
export async function openTestDatabase(): Promise<OpenDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server) {
    template ??= findTemplate(server)
    return openScratchDatabase(server, ` template ${await template} strategy file_copy`)
  }
  migratedFile ??= writeMigratedFile()
  const location = { url: ':memory:', durability: 'process' } as const
  const file = configured(SqliteFile.deserialize(await migratedFile, { strict: true }), location)
  return { ...openSqlite(location, file), migrations }
}

/** The contents of a migrated SQLite file. */
async function writeMigratedFile(): Promise<Uint8Array> {
  const opened = await openEmptyTestDatabase()
  const folder = makeTemporaryFolder()
  try {
    await migrate(opened)
    const path = join(folder.path, 'migrated.db')
    await sql`vacuum into ${path}`.execute(opened.db)
    return readFileSync(path)
  } finally {
    await opened.close()
    folder.remove()
  }
}

/** Like `openTestDatabase`, with SQLite in a file of the folder: only this process reads a database in memory. */
export async function openTestDatabaseFile(folder: string): Promise<OpenDatabase> {
  if (process.env.TEST_DATABASE_URL) return openTestDatabase()
  const opened = openDatabase({ url: join(folder, 'tollgate.db'), durability: 'process' }, migrations)
  await migrate(opened)
  return opened
}

/** Like `openTestDatabase`, without any table. */
export async function openEmptyTestDatabase(): Promise<OpenDatabase> {
  const server = process.env.TEST_DATABASE_URL
  return server
    ? openScratchDatabase(server, '')
    : openDatabase({ url: ':memory:', durability: 'process' }, migrations)
}

async function openScratchDatabase(server: string, origin: string): Promise<OpenDatabase> {
  const name = `test_${randomAlphanumeric(NAME_LETTERS).toLowerCase()}`
  await onServer(server, client => client.unsafe(`create database ${name}${origin}`))
  const opened = openDatabaseNamed(server, name)
  return {
    ...opened,
    async close() {
      await opened.close()
      await onServer(server, client => client.unsafe(`drop database ${name} with (force)`))
    },
  }
}

/** The name of the migrated template database. The first process creates one per version of the schema, and it is kept. */
const findTemplate = (server: string): Promise<string> =>
  onServer(server, async client => {
    const name = `test_template_${schemaFingerprint()}`
    await client`select pg_advisory_lock(${TEMPLATE_LOCK})`
    const found = await client`select 1 from pg_database where datname = ${name}`
    if (found.length === 0) await createTemplate(server, client, name)
    await client`select pg_advisory_unlock(${TEMPLATE_LOCK})`
    return name
  })

/** Renames the database last, so that an unfinished one is never copied. */
async function createTemplate(server: string, client: SQL, name: string): Promise<void> {
  const unfinished = `${name}_unfinished`
  await client.unsafe(`drop database if exists ${unfinished} with (force)`)
  await client.unsafe(`create database ${unfinished}`)
  const opened = openDatabaseNamed(server, unfinished)
  try {
    await migrate(opened)
  } finally {
    await opened.close()
  }
  await client.unsafe(`alter database ${unfinished} rename to ${name}`)
}

function schemaFingerprint(): string {
  const texts = ['server/db/migrations/*.ts', 'features/*/migrations/*.ts']
    .flatMap(pattern => [...new Glob(pattern).scanSync(PROJECT)])
    .sort()
    .map(file => readFileSync(join(PROJECT, file), 'utf8'))
  return Bun.hash(texts.sort().join('')).toString(36)
}

function openDatabaseNamed(server: string, name: string): OpenDatabase {
  const url = new URL(server)
  url.pathname = `/${name}`
  return openDatabase({ url: url.href, durability: 'process', connections: CONNECTIONS }, migrations)
}

/** One connection for all databases of this process: the server starts a process for each, which takes longer than most tests. */
function onServer<T>(server: string, work: (client: SQL) => Promise<T>): Promise<T> {
  admin ??= new SQL(server, { max: 1 })
  return work(admin)
}

/** The log row of a small request that was charged one unit, with the given columns. */
export const buildLogRow = (
  row: Partial<RequestLogRow> & Pick<RequestLogRow, 'request_id' | 'created_at'>,
): RequestLogRow => ({
  user_id: 1,
  type: LOG_TYPE.consumption,
  username: 'anna',
  token_id: 1,
  token_name: 'one',
  model_name: 'm',
  channel_id: 1,
  group: 'default',
  quota: 1,
  prompt_tokens: 1,
  completion_tokens: 1,
  use_time: 1,
  is_stream: 0,
  content: '',
  error: '',
  ...row,
})
