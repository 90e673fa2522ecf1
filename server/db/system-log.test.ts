import { expect, test } from 'bun:test'
import { insertEventLog } from './system-log.ts'
import { openTestDatabase } from './testing.ts'

test('an event that was not a model call has a log row of its type', async () => {
  const { db, close } = await openTestDatabase()
  await insertEventLog(db, {
    type: 3,
    userId: 7,
    username: 'root',
    content: 'changed a limit',
    requestId: 'r1',
  })
  const rows = await db.selectFrom('logs').selectAll().execute()
  expect(rows).toMatchObject([
    { type: 3, user_id: 7, username: 'root', content: 'changed a limit', quota: 0, request_id: 'r1' },
  ])
  await close()
})
