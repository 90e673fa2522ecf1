import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { migrate } from '../engine/database.ts'
import { insertRequestLogs } from '../logs/log-writes.ts'
import { buildLogRow, openTestDatabase } from '../testing.ts'

const failed = (request_id: string, receipt: object) => ({
  row: buildLogRow({ request_id, created_at: nowSeconds(), type: LOG_TYPE.failure }),
  receipt: JSON.stringify(receipt),
})

test('fills the errors of earlier failed requests from their receipts', async () => {
  const opened = await openTestDatabase()
  const { db, engine } = opened
  await sql`drop index logs_errors`.execute(db)
  const attempts = [{ channel_id: 1, status: 500, ms: 4, code: 'of an attempt' }]
  await insertRequestLogs(db, engine, [
    failed('known', { ending: 'failed', status: 429, code: 'rate_limited', attempts }),
    failed('unknown', { ending: 'failed', attempts }),
    failed('nul', { status: 502, code: 'broken', attempts: [{ code: 'a\0b' }] }),
    {
      row: buildLogRow({ request_id: 'served', created_at: nowSeconds() }),
      receipt: '{"status":1,"code":"x"}',
    },
  ])
  await sql`delete from kysely_migration where name = '0012-log-errors'`.execute(db)
  await sql`alter table logs drop column error`.execute(db)
  await migrate(opened)
  const rows = await db.selectFrom('logs').select(['request_id', 'error']).orderBy('id').execute()
  await opened.close()
  expect(rows.map(({ request_id, error }) => [request_id, error])).toEqual([
    ['known', '429 rate_limited'],
    ['unknown', ''],
    ['nul', '502 broken'],
    ['served', ''],
  ])
})
