import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { moveUserBalances } from './balances.ts'
import { bulkInsert } from './bulk.ts'
import type { OpenDatabase } from './database.ts'
import { openTestDatabase } from './testing.ts'

let opened: OpenDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})

afterEach(() => opened.db.deleteFrom('topics').execute())
afterAll(() => opened.close())

const insertTopics = bulkInsert<'topics', 'topic' | 'version', { topic: string }>(
  'topics',
  ['topic', 'version'],
  'returning topic',
)
const topicsUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ topic: `topic ${index}`, version: index }))

for (const count of [0, 1, 2, 3, 63, 64, 65, 200])
  test(`${count} rows are written and given back, each once and whole`, async () => {
    const written = await insertTopics(opened.db, topicsUpTo(count))
    expect(written).toHaveLength(count)
    const stored = await opened.db.selectFrom('topics').selectAll().orderBy('version').execute()
    expect(stored).toEqual(topicsUpTo(count))
  })

test('rows that are not there are left out of a bulk change', async () => {
  await moveUserBalances(opened.db, [{ userId: 99, quota: 5, held: 0, used: 0, requests: 0 }])
  const { rows } = await sql<{ count: number }>`select count(*) as count from users`.execute(opened.db)
  expect(rows).toEqual([{ count: 0 }])
})
