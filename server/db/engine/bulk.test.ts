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

/** Two rows for each entry, which share the version of all and the name of the entry. */
const insertPairs = bulkStatement<{ readonly name: string; readonly second: string }>({
  text: insertInto('topics', ['version', 'topic']),
  rowText: ([name, second], [version]) => `(${version}, ${name}), (${version}, ${name} || ${second})`,
  addCells: ({ name, second }, cells) => void cells.push(name, second),
})

for (const count of [1, 2, 65])
  test(`what ${count} entries share is in all of their rows`, async () => {
    const names = Array.from({ length: count }, (_, index) => `entry ${index}`)
    await insertPairs(
      opened.db,
      names.map(name => ({ name, second: ' again' })),
      [7],
    )
    const stored = await opened.db.selectFrom('topics').selectAll().execute()
    expect(stored).toHaveLength(2 * count)
    expect(new Set(stored.map(({ topic }) => topic))).toEqual(
      new Set(names.flatMap(name => [name, `${name} again`])),
    )
    expect(stored.every(({ version }) => version === 7)).toBe(true)
  })

test('rows that are not there are left out of a bulk change', async () => {
  await updateUserBalances(opened.db, [{ userId: 99, quota: 5, held: 0, used: 0, requests: 0 }])
  const { rows } = await sql<{ count: number }>`select count(*) as count from users`.execute(opened.db)
  expect(rows).toEqual([{ count: 0 }])
})
