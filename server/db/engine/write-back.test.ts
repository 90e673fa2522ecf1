import { afterEach, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { createLogger } from '../../core/logger.ts'
import { openReaders } from '../readers/readers.ts'
import { migrate, openDatabase } from './database.ts'
import { startWriteBack } from './write-back.ts'

const PAGE_BYTES = 4096
const ROW_PAGES = 100
const TIMEOUT_MS = 30_000

/** Reads the journal for some 200 ms. */
const SLOW_QUERY = sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 1000000)
  select count(*) from numbers, (select count(*) from options)`

const folders: { remove(): void }[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

async function openFile(threadPath?: string) {
  const folder = makeTemporaryFolder()
  folders.push(folder)
  const path = join(folder.path, 'tollgate.db')
  const lines: string[] = []
  const database = openDatabase({ url: path, durability: 'process' }, migrations)
  await migrate(database)
  const log = createLogger({ level: 'warn', isPretty: false, write: line => void lines.push(line) })
  const { db } = database
  const readers = openReaders(database)
  const stop = startWriteBack({ db, readers, path: threadPath ?? path, log, journalPagesMax: 2 * ROW_PAGES })
  let rows = 0
  return {
    lines,
    readers,
    pagesWritten: () => rows * ROW_PAGES,
    journalBytes: () => (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0),
    write: () =>
      db
        .insertInto('options')
        .values({ key: `row ${rows++}`, value: 'x'.repeat(ROW_PAGES * PAGE_BYTES) })
        .execute(),
    countRows: async () => (await db.selectFrom('options').select('key').execute()).length,
    async close() {
      await stop()
      await readers.close()
      await database.close()
    },
  }
}

test(
  'starts the journal over while rows are written, without losing any',
  async () => {
    const file = await openFile()
    await waitUntil(
      { description: 'a journal shorter than what was written', timeoutMs: TIMEOUT_MS },
      async () => {
        await file.write()
        return file.journalBytes() < (file.pagesWritten() * PAGE_BYTES) / 2
      },
    )
    expect(await file.countRows()).toBe(file.pagesWritten() / ROW_PAGES)
    expect(file.lines).toEqual([])
    await file.close()
    expect(file.journalBytes()).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'starts the journal over although queries follow each other without a pause',
  async () => {
    const file = await openFile()
    let isOver = false
    const readOnAndOn = async (key: string) => {
      while (!isOver) await SLOW_QUERY.execute(file.readers.forCaller({ key }))
    }
    const reading = Promise.all(['one', 'another'].map(readOnAndOn))
    await waitUntil({ description: 'a journal that starts over', timeoutMs: TIMEOUT_MS }, async () => {
      await file.write()
      return file.journalBytes() < (file.pagesWritten() * PAGE_BYTES) / 2
    })
    isOver = true
    await reading
    expect(file.lines).toEqual([])
    await file.close()
  },
  TIMEOUT_MS,
)

test(
  'logs that the thread cannot open the file, and keeps the database usable',
  async () => {
    const file = await openFile('/nowhere/tollgate.db')
    await waitUntil(
      { description: 'the line in the log', timeoutMs: TIMEOUT_MS },
      () => file.lines.length > 0,
    )
    await file.write()
    expect(await file.countRows()).toBe(1)
    expect(file.lines.join()).toContain('the journal of the database is not written back')
  },
  TIMEOUT_MS,
)
