import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type LogFields, noopLogger } from '../../core/logger.ts'
import { createMetricsRegistry } from '../../core/telemetry/metrics.ts'
import { createStallWatch } from '../../core/telemetry/stall-watch.ts'
import { type OpenDatabase, openDatabase } from './database.ts'

let folder: string
let opened: OpenDatabase
let other: SqliteFile

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-locked-'))
  const url = join(folder, 'test.db')
  opened = openDatabase({ url, durability: 'process' })
  await sql`create table events (id integer primary key)`.execute(opened.db)
  other = new SqliteFile(url)
})

afterEach(async () => {
  other.close()
  await opened.close()
  rmSync(folder, { recursive: true })
})

const write = () => opened.db.transaction().execute(tx => sql`insert into events default values`.execute(tx))

test('waits without blocking the process while another program writes', async () => {
  other.exec('begin immediate')
  let isWritten = false
  const writing = write().then(() => {
    isWritten = true
  })
  for (let turn = 0; turn < 5; turn += 1) await Bun.sleep(10)
  expect(isWritten).toBe(false)
  other.exec('commit')
  await writing
  expect((await sql`select id from events`.execute(opened.db)).rows).toEqual([{ id: 1 }])
})

test('names the statement that blocked the event loop', async () => {
  const lines: LogFields[] = []
  const log = { ...noopLogger, warn: (_: string, fields?: LogFields) => lines.push(fields ?? {}) }
  const watch = createStallWatch({ metrics: createMetricsRegistry(), log, isBusy: () => true })
  watch.onRequest()
  await Bun.sleep(10)
  const count =
    'with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000000) select count(*) from n'
  await sql.raw(count).execute(opened.db)
  await Bun.sleep(100)
  watch.stop()
  const steps = [{ step: count.slice(0, 80), ms: expect.any(Number) }]
  expect(lines).toEqual([{ ms: expect.any(Number), steps }])
})
