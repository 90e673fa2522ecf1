import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openTestApp } from '#server/testing/open-test-app.ts'

/** Whose rows may have megabytes. */
const LARGE = ['conversation_items', 'stored_responses']

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
