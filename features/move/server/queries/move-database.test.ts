import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, fillTables, shapesOf } from '#server/db/backup/testing.ts'
import { type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { openEmptyTestDatabase, openTestDatabase } from '#server/db/testing.ts'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../../tests/harness/temporary-folder.ts'
import { checksumTables, findDifferentTables } from './checksums.ts'
import { moveDatabase } from './move-database.ts'

let source: OpenDatabase
let folder: TemporaryFolder
beforeEach(async () => {
  source = await openTestDatabase()
  folder = makeTemporaryFolder()
})
afterEach(async () => {
  await source.close()
  folder.remove()
})

const requestTo = (to: string) => ({
  to,
  temporaryPath: join(folder.path, 'meanwhile.db'),
  onRows: () => undefined,
  check: async () => undefined,
})

/** An empty database of the engine of this run: a server, or a file. */
async function openPlace(): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (!process.env.TEST_DATABASE_URL)
    return { url: join(folder.path, 'place.db'), close: async () => undefined }
  const empty = await openEmptyTestDatabase()
  return { url: empty.location.url, close: empty.close }
}

test('moves every row to another place and back, with the same checksums', async () => {
  const shapes = await shapesOf()
  await fillTables(source, shapes)
  const content = await contentOf(source.db, shapes)
  const place = await openPlace()
  const there = await moveDatabase(source, requestTo(place.url))
  expect(there.map(({ table, rows }) => [table, rows])).toEqual(shapes.map(({ name }) => [name, 7]))

  const moved = openDatabase({ url: place.url, durability: 'process', connections: 1 }, migrations)
  const path = join(folder.path, 'back.db')
  expect(await moveDatabase(moved, requestTo(path))).toEqual(there)
  await moved.close()
  await place.close()
  const back = openDatabase({ url: path, durability: 'process' })
  expect(await contentOf(back.db, shapes)).toEqual(content)
  await back.close()
  expect(existsSync(join(folder.path, 'meanwhile.db'))).toBe(false)
})

test('never replaces a file, and leaves none when the copy is rejected', async () => {
  const path = join(folder.path, 'taken.db')
  writeFileSync(path, '')
  await expect(moveDatabase(source, requestTo(path))).rejects.toThrow('exists: a move never replaces a file')
  const rejected = join(folder.path, 'rejected.db')
  const check = () => Promise.reject(new Error('the books differ'))
  await expect(moveDatabase(source, { ...requestTo(rejected), check })).rejects.toThrow('the books differ')
  expect(existsSync(rejected)).toBe(false)
})

test('a checksum tells one changed cell, and not the order of rows', async () => {
  const shapes = await shapesOf()
  await fillTables(source, shapes)
  const before = await checksumTables(source, shapes)
  expect(findDifferentTables(before, await checksumTables(source, shapes.toReversed()))).toEqual([])
  await source.db.updateTable('users').set({ quota: 1234 }).where('id', '=', 2).execute()
  expect(findDifferentTables(before, await checksumTables(source, shapes))).toEqual(['users'])
})
