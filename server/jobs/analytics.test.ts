import { afterEach, beforeEach, expect, test } from 'bun:test'
import { LOG_TYPE } from '#contract/enums.ts'
import { waitUntil } from '../../tests/harness/wait-until.ts'
import { nowSeconds } from '../core/clock.ts'
import { noopLogger } from '../core/logger.ts'
import type { OpenDatabase } from '../db/engine/database.ts'
import { insertRequestLogs } from '../db/logs/log-writes.ts'
import { openReaders } from '../db/readers/readers.ts'
import { openTestDatabase } from '../db/testing.ts'
import { startAnalytics } from './analytics.ts'

/** Well below the pause between two counts. */
const COUNTED_MS_MAX = 8000

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const executorOf = (db: OpenDatabase['db']) => ({
  executeQuery: (query: Parameters<typeof db.executeQuery>[0]) => db.executeQuery(query),
})

test('counts soon after the start what was not counted before it', async () => {
  const { db, engine } = opened
  const row = {
    request_id: 'request-1',
    user_id: 1,
    created_at: nowSeconds(),
    type: LOG_TYPE.consumption,
    username: 'u',
    token_id: 1,
    token_name: 't',
    model_name: 'gpt-5.5',
    channel_id: 1,
    group: 'default',
    quota: 7,
    prompt_tokens: 1,
    completion_tokens: 1,
    use_time: 1,
    is_stream: 0,
    content: '',
    error: '',
  } as const
  await db
    .connection()
    .execute(connection => insertRequestLogs(executorOf(connection), engine, [{ row, receipt: '{}' }]))
  const readers = openReaders(opened)
  const stop = startAnalytics({ db, engine, readers, log: noopLogger })
  const counted = await waitUntil({ description: 'the count', timeoutMs: COUNTED_MS_MAX }, () =>
    db.selectFrom('analytics_minutes').select(['model_name', 'quota']).executeTakeFirst(),
  )
  await stop()
  expect(counted).toMatchObject({ model_name: 'gpt-5.5', quota: 7 })
})
