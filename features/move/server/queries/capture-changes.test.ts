import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { contentOf, fillTables } from '#server/db/backup/testing.ts'
import { listOwnTableShapes, type TableShape } from '#server/db/copy/table-shapes.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../../tests/harness/temporary-folder.ts'
import { applyChanges } from './apply-changes.ts'
import { endAbandonedCapture, removeCapture, startCapture } from './capture-changes.ts'
import { compareAppended, compareSides } from './compare-sides.ts'
import { openBaseCopy } from './copy-base.ts'
import { findMoveState, lockTables, type MoveState, rejectChanges } from './move-state.ts'

const NOW = 1_764_000_000
const STATE: MoveState = {
  id: 'the move',
  phase: 'arriving',
  place: 'elsewhere',
  urlEncrypted: '',
  activeAt: NOW,
}

let source: OpenDatabase
let target: OpenDatabase
let shapes: readonly TableShape[]
let folder: TemporaryFolder

beforeEach(async () => {
  source = await openTestDatabase()
  folder = makeTemporaryFolder()
  shapes = await listOwnTableShapes()
  await fillTables(source, shapes)
  await startCapture(source, shapes, STATE)
  target = await openBaseCopy(source, {
    to: join(folder.path, 'copy.db'),
    state: STATE,
    temporaryPath: join(folder.path, 'meanwhile.db'),
    nowSeconds: NOW,
    onRows: () => undefined,
  })
})
afterEach(async () => {
  await target.close()
  await source.close()
  folder.remove()
})

const run = (text: string) => sql.raw(text).execute(source.db)

test('applies inserts, updates, deletes, renames and cascading deletes', async () => {
  await run(`update users set quota = 42 where id = 2`)
  await run(`update options set key = 'renamed' where key = (select min(key) from options)`)
  await run(`update users set username = 'swapped' where id = 3`)
  await run(`delete from tokens where id in (select id from tokens order by id limit 1)`)
  await run(`delete from conversations where id = (select max(id) from conversations)`)
  await run(`insert into topics (topic, version) values ('new', 1)`)
  await run(`insert into roll_ups (name, until) values ('gone again', 1)`)
  await run(`delete from roll_ups where name = 'gone again'`)
  expect(await applyChanges(source.db, target, shapes)).toBeGreaterThan(6)
  expect(await contentOf(target.db, shapes)).toEqual(await contentOf(source.db, shapes))
  await compareSides(source, target, { shapes, compared: await compareAppended(source, target, shapes) })
  expect(await applyChanges(source.db, target, shapes)).toBe(0)
})

test('names the table in which the copy differs', async () => {
  await run(`update users set quota = 42 where id = 2`)
  await run(`delete from postings where id = 3`)
  await expect(
    compareSides(source, target, { shapes, compared: await compareAppended(source, target, shapes) }),
  ).rejects.toThrow('differs in postings, users')
})

test('notices an amount of the ledger that differs', async () => {
  await sql`update postings set amount = amount + 1 where id = (select min(id) from postings)`.execute(
    target.db,
  )
  const compared = await compareAppended(source, target, shapes)
  await expect(compareSides(source, target, { shapes, compared })).rejects.toThrow('differs in postings')
})

test('takes an existing copy of the same move as it is', async () => {
  const base = { to: target.location.url, state: STATE, nowSeconds: NOW, onRows: () => undefined }
  await run(`update users set quota = 42 where id = 2`)
  const again = await openBaseCopy(source, { ...base, temporaryPath: '' })
  await applyChanges(source.db, again, shapes)
  expect(await contentOf(again.db, shapes)).toEqual(await contentOf(source.db, shapes))
  await again.close()
})

test('a database that was moved rejects every change', async () => {
  const tables = shapes.map(({ name }) => name)
  await source.db.transaction().execute(async tx => {
    await lockTables(tx, source.engine, tables)
    await rejectChanges(tx, source.engine, tables)
  })
  for (const { name, key } of shapes) {
    const [column] = key
    await expect(run(`update "${name}" set "${column}" = "${column}"`)).rejects.toThrow(
      'this database was moved',
    )
    await expect(run(`delete from "${name}"`)).rejects.toThrow('this database was moved')
  }
  await expect(run(`insert into topics (topic, version) values ('new', 1)`)).rejects.toThrow('was moved')
})

test('the capture of a command that is gone ends, and leaves nothing behind', async () => {
  await sql`update moves set phase = 'announced'`.execute(source.db)
  expect(await endAbandonedCapture(source, NOW + 60)).toBe(false)
  expect(await endAbandonedCapture(source, NOW + 3600)).toBe(true)
  expect(await findMoveState(source)).toBeUndefined()
  await run(`update users set quota = 42 where id = 2`)
  await removeCapture(source)
})
