import { afterEach, beforeEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { noopLogger } from '#server/core/logger.ts'
import { migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { buildLogRow } from '#server/db/testing.ts'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { deleteLogs } from './delete.ts'
import { createLogDeletion } from './log-deletion.ts'

const ROWS = 2000
const KEPT = 50

let folder: TemporaryFolder
let path: string
let database: OpenDatabase
beforeEach(async () => {
  folder = makeTemporaryFolder()
  path = join(folder.path, 'tollgate.db')
  database = openDatabase({ url: path, durability: 'process' }, migrations)
  await migrate(database)
})
afterEach(async () => {
  await database.close()
  folder.remove()
})

test('gives the space of deleted rows of a file back to the disk', async () => {
  const { db, engine } = database
  const content = 'a long text '.repeat(200)
  const rows = Array.from({ length: ROWS }, (_, created_at) =>
    buildLogRow({ request_id: String(created_at), created_at, content }),
  )
  await db
    .insertInto('logs')
    .values(rows.slice(0, ROWS / 2))
    .execute()
  await db
    .insertInto('logs')
    .values(rows.slice(ROWS / 2))
    .execute()
  const fileBytes = async () => {
    await sql`pragma wal_checkpoint(truncate)`.execute(db)
    return statSync(path).size
  }
  const before = await fileBytes()
  const context = { db, engine, reader: db, log: noopLogger, caller: { id: 1 }, requestId: 'deletion' }
  const query = { target_timestamp: ROWS - KEPT, background: false }
  expect(await deleteLogs(query, createLogDeletion(), context)).toBe(ROWS - KEPT)
  expect(await fileBytes()).toBeLessThan(before / 2)
})
