import { expect, test } from 'bun:test'
import { type Kysely, Migrator, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { openTestApp } from '#server/testing/open-test-app.ts'
import { backgroundWithRowids } from '../../migrations/0088-background-with-rowids.ts'
import {
  insertBackgroundEvents,
  insertBackgroundResponse,
  selectBackgroundEvents,
  selectBackgroundResponse,
} from './background-responses.ts'

/** Whose rows may have megabytes. */
const LARGE = [
  'background_events',
  'background_responses',
  'conversation_items',
  'stored_responses',
  'thoughts',
]

test('SQLite finds rows with long texts by their rowids, and reads no text to compare keys', async () => {
  const app = await openTestApp()
  if (process.env.TEST_DATABASE_URL === undefined) {
    const { rows } = await sql<{ name: string; wr: number }>`pragma table_list`.execute(app.db)
    const withoutRowid = rows.filter(({ name, wr }) => LARGE.includes(name) && wr === 1)
    expect(withoutRowid).toEqual([])
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(LARGE))
  }
  await app.close()
})

test('a new layout keeps responses and their events, which still end with them', async () => {
  const app = await openTestApp()
  const { id: user_id } = await app.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const state = {
    token_id: 7,
    is_private: 1,
    status: 'completed',
    is_cancelled: 0,
    alive_at: 1,
    expires_at: 2,
  }
  const response = { id: 'r', user_id, response_encrypted: 'text', ...state }
  const event = { response_id: 'r', last_number: 3, events_encrypted: 'events' }
  await insertBackgroundResponse(app.db, response)
  await insertBackgroundEvents(app.db, event)
  await repeatMigration(app.db)
  const owner = { userId: user_id, tokenId: 7, isPrivate: true }
  expect(await selectBackgroundResponse(app.db, 'r', owner)).toEqual(response)
  expect(await selectBackgroundEvents(app.db, 'r', 0)).toEqual([event])
  await app.db.deleteFrom('users').where('id', '=', user_id).execute()
  expect(await selectBackgroundEvents(app.db, 'r', 0)).toEqual([])
  await app.close()
})

async function repeatMigration(db: Database): Promise<void> {
  const engine = process.env.TEST_DATABASE_URL === undefined ? 'sqlite' : 'postgres'
  const repeated = { up: (open: Kysely<unknown>) => backgroundWithRowids.up(open, engine) }
  const { error } = await new Migrator({
    db,
    migrationTableName: 'repeated_migrations',
    migrationLockTableName: 'repeated_migrations_lock',
    provider: { getMigrations: async () => ({ [backgroundWithRowids.name]: repeated }) },
  }).migrateToLatest()
  expect(error).toBeUndefined()
}
