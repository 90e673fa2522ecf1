import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { openTestDatabase } from '../testing.ts'
import { bulkInsert } from './bulk.ts'
import { inRawTransaction, inTransaction, migrate, type OpenDatabase, openDatabase } from './database.ts'

let database: OpenDatabase
/** SQLite, so that the engine changes when the tests run on PostgreSQL. */
let other: OpenDatabase
let folder: TemporaryFolder

beforeEach(async () => {
  database = await openTestDatabase()
  folder = makeTemporaryFolder()
  other = openDatabase({ url: join(folder.path, 'other.db'), durability: 'process' })
  await migrate(other)
})
afterEach(async () => {
  await database.close()
  await other.close()
  folder.remove()
})

const insertTopics = bulkInsert('topics', ['topic', 'version'])
const listTopics = async ({ db }: OpenDatabase) =>
  (await db.selectFrom('topics').select('topic').orderBy('topic').execute()).map(({ topic }) => topic)

test('statements wait while the gate is closed, and transactions that have begun finish', async () => {
  const { db, gate } = database
  const beginning = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const transaction = inTransaction(db, async tx => {
    beginning.resolve()
    await mayEnd.promise
    await tx.insertInto('topics').values({ topic: 'begun', version: 1 }).execute()
  })
  await beginning.promise
  gate.close()
  let isUnused = false
  const unused = gate.untilUnused().then(() => {
    isUnused = true
  })
  const waiting = db.insertInto('topics').values({ topic: 'waited', version: 1 }).execute()
  expect(isUnused).toBe(false)
  mayEnd.resolve()
  await transaction
  await unused
  expect(await Promise.race([waiting, Bun.sleep(20).then(() => 'still waits')])).toBe('still waits')
  gate.open()
  await waiting
  expect(await listTopics(database)).toEqual(['begun', 'waited'])
})

test('after a redirect, statements and transactions of every kind go to the other database', async () => {
  const { db, engine, gate } = database
  gate.close()
  const waiting = db.insertInto('topics').values({ topic: 'waited', version: 1 }).execute()
  gate.redirect(other)
  await waiting
  await inTransaction(db, async tx => {
    await tx
      .selectFrom('users')
      .select('id')
      .where('id', '=', 1)
      .$if(engine === 'postgres', query => query.forUpdate())
      .execute()
    await tx.insertInto('topics').values({ topic: 'in a transaction', version: 1 }).execute()
  })
  await inRawTransaction(database, connection =>
    insertTopics(connection, [{ topic: 'prepared', version: 1 }]),
  )
  await sql`insert into topics (topic, version) values (${'raw'}, ${1})`.execute(db)
  const failed = inTransaction(db, async tx => {
    await tx.insertInto('topics').values({ topic: 'rolled back', version: 1 }).execute()
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect(await listTopics(other)).toEqual(['in a transaction', 'prepared', 'raw', 'waited'])
  expect(gate.engineOr(engine)).toBe('sqlite')
})

test('a second redirect is followed too', async () => {
  const third = openDatabase({ url: join(folder.path, 'third.db'), durability: 'process' })
  await migrate(third)
  database.gate.redirect(other)
  other.gate.redirect(third)
  await inTransaction(database.db, tx =>
    tx.insertInto('topics').values({ topic: 'far', version: 1 }).execute(),
  )
  expect(await listTopics(third)).toEqual(['far'])
  await third.close()
})
