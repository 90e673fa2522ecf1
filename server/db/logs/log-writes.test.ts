import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { nowSeconds } from '../../core/clock.ts'
import { sameInBoth } from '../../core/language.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { buildLogRow, openTestDatabase } from '../testing.ts'
import { insertEventLog, insertRequestLogs } from './log-writes.ts'

let opened: OpenDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})

afterEach(async () => {
  await opened.db.deleteFrom('logs').execute()
  await opened.db.deleteFrom('receipts').execute()
})
afterAll(() => opened.close())

const requestOf = (request_id: string) => ({
  row: buildLogRow({ request_id, created_at: nowSeconds() }),
  receipt: JSON.stringify({ of: request_id }),
})

const requestsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `request ${index}`)

for (const count of [0, 1, 17, 64, 81])
  test(`links each of ${count} requests to its own receipt when ids do not start at one`, async () => {
    await insertRequestLogs(opened.db, opened.engine, [requestOf('first'), requestOf('deleted')])
    await opened.db.deleteFrom('logs').where('request_id', '=', 'deleted').execute()
    await insertRequestLogs(opened.db, opened.engine, requestsUpTo(count).map(requestOf))
    const rows = await opened.db
      .selectFrom('logs')
      .innerJoin('receipts', 'receipts.log_id', 'logs.id')
      .select(['request_id', 'body'])
      .orderBy('logs.id')
      .execute()
    const requests = ['first', ...requestsUpTo(count)]
    expect(rows).toHaveLength(requests.length)
    for (const { request_id, body } of rows) expect(JSON.parse(body)).toEqual({ of: request_id })
  })

test('inserts a log row of its type for an event', async () => {
  const { db, close } = await openTestDatabase()
  await insertEventLog(db, {
    type: 3,
    userId: 7,
    username: 'root',
    content: sameInBoth('changed a limit'),
    requestId: 'r1',
  })
  const rows = await db.selectFrom('logs').selectAll().execute()
  expect(rows).toMatchObject([
    { type: 3, user_id: 7, username: 'root', content: 'changed a limit', quota: 0, request_id: 'r1' },
  ])
  await close()
})
