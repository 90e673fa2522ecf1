import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { updateUserBalances } from '../billing/balances.ts'
import { openTestDatabase } from '../testing.ts'
import { bulkInsert, bulkStatement, insertInto } from './bulk.ts'
import type { OpenDatabase } from './database.ts'

let opened: OpenDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})

afterEach(() => opened.db.deleteFrom('topics').execute())
afterAll(() => opened.close())

const insertVersions = bulkInsert<'topics', 'topic' | 'version', { topic: string }>(
  'topics',
  ['topic', 'version'],
  'returning topic',
)
const createVersions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ topic: `topic ${index}`, version: index }))

for (const count of [0, 1, 2, 3, 63, 64, 65, 200])
  test(`writes and returns each of ${count} rows exactly once`, async () => {
    const written = await insertVersions(opened.db, createVersions(count))
    expect(written).toHaveLength(count)
    const stored = await opened.db.selectFrom('topics').selectAll().orderBy('version').execute()
    expect(stored).toEqual(createVersions(count))
  })

const insertWithoutResult = bulkStatement<{ readonly topic: string; readonly version: number }>(
  insertInto('topics', ['version', 'topic']),
)

for (const count of [1, 2, 65])
  test(`binds a value that ${2 * count} rows share to each of them`, async () => {
    const names = Array.from({ length: count }, (_, index) => `entry ${index}`)
    const topics = names.flatMap(name => [name, `${name} again`])
    await insertWithoutResult(
      opened.db,
      topics.map(topic => ({ topic, version: 7 })),
    )
    const stored = await opened.db.selectFrom('topics').selectAll().execute()
    expect(stored).toHaveLength(2 * count)
    expect(new Set(stored.map(({ topic }) => topic))).toEqual(
      new Set(names.flatMap(name => [name, `${name} again`])),
    )
    expect(stored.every(({ version }) => version === 7)).toBe(true)
  })

test('ignores rows of a bulk update that do not exist', async () => {
  await updateUserBalances(opened.db, [{ userId: 99, quota: 5, held: 0, used: 0, requests: 0 }])
  const { rows } = await sql<{ count: number }>`select count(*) as count from users`.execute(opened.db)
  expect(rows).toEqual([{ count: 0 }])
})
