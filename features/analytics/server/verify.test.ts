import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { nowSeconds } from '#server/core/clock.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { insertRequestLogs, insertUnloggedRequests, type LoggedRequest } from '#server/db/logs/log-writes.ts'
import { buildLogRow, openTestDatabase } from '#server/db/testing.ts'
import { CommittedLogs } from '#server/db/usage/committed-logs.ts'
import { countAllRequests, countNewRequests } from '#server/db/usage/count-requests.ts'
import { rollUpTotals } from '#server/db/usage/roll-up-totals.ts'
import { auditAnalytics, verifyAnalytics } from './verify.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** Two whole days before today: rolled up by hour and by day. */
const OLD = Math.floor(nowSeconds() / DAY) * DAY - 2 * DAY

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const request = (n: number, created_at: number): LoggedRequest => ({
  row: buildLogRow({
    request_id: `request-${n}`,
    user_id: (n % 3) + 1,
    created_at,
    type: n % 5 === 0 ? 5 : 2,
    model_name: `model-${n % 2}`,
    channel_id: (n % 2) + 1,
    quota: n % 5 === 0 ? 0 : n,
  }),
  receipt: JSON.stringify({
    use_ms: 5,
    code: '"cost_nanos":99',
    ...(n % 3 > 0 && { cost_nanos: n * 1000 + 1 }),
    attempts: [],
  }),
})

/** Requests of an old day, of an hour ago, and of now; those of now are counted but in no larger totals. */
async function fill(): Promise<void> {
  const now = nowSeconds()
  const times = [OLD, OLD + 5 * HOUR, now - 2 * HOUR, now]
  const requests = Array.from({ length: 40 }, (_, n) => request(n + 1, times[n % times.length] ?? now))
  await insert(requests)
  const deps = { ...opened, reader: opened.db }
  await countNewRequests(deps, await new CommittedLogs(opened.engine).findAll(opened.db), now)
  await rollUpTotals(deps, now)
}

const insert = (requests: readonly LoggedRequest[]) =>
  opened.db
    .connection()
    .execute(db =>
      insertRequestLogs(
        { executeQuery: (query: Parameters<typeof db.executeQuery>[0]) => db.executeQuery(query) },
        opened.engine,
        requests,
      ),
    )

test('finds no difference between receipts and any roll-up, with requests that are not counted yet', async () => {
  await fill()
  await insert([request(100, nowSeconds())])
  expect(await auditAnalytics(opened)).toEqual({ drift: 0, first: [], requests: 40 })
})

test.each([
  'analytics_minutes',
  'analytics_hours',
  'analytics_gateway_hours',
  'analytics_days',
  'analytics_gateway_days',
] as const)('names a changed cost in %s with its period, channel and model', async table => {
  await fill()
  await sql`update ${sql.table(table)} set cost_nanos = cost_nanos + 2001
    where id = (select max(id) from ${sql.table(table)} where model_name = 'model-1')`.execute(opened.db)
  const report = await auditAnalytics(opened)
  const own = report.first.filter(({ rollUp }) => rollUp === table)
  expect(own).toMatchObject([{ figure: 'cost_nanos', channelId: 2, model: 'model-1' }])
  const [difference] = own
  expect((difference?.found ?? 0) - (difference?.expected ?? 0)).toBe(2001)
  // A change of 2001 billionths is two units; minutes that no hour contains yet are a part of each roll-up.
  expect(report.drift).toBe(2 * report.first.length)
  const proof = await verifyAnalytics({ database: opened })
  const period = new Date((difference?.time ?? 0) * 1000).toISOString()
  const line = `${table}.cost_nanos of ${period}, channel 2, model-1 is ${difference?.found}, must be ${difference?.expected}`
  expect(proof).toMatchObject({ drift: report.drift, counts: { 'in analytics': 40 } })
  expect(proof.lines).toContain(line)
})

test('names a receipt with a cost that changed after it was counted', async () => {
  await fill()
  await sql`update receipts set body = replace(body, '"cost_nanos":1001', '"cost_nanos":9001')`.execute(
    opened.db,
  )
  const { first, drift } = await auditAnalytics(opened)
  expect(drift).toBeGreaterThan(0)
  expect(new Set(first.map(({ figure, expected, found }) => `${figure} ${expected - found}`))).toEqual(
    new Set(['cost_nanos 8000']),
  )
})

test('lets roll-ups be larger where requests left no log row or were deleted, never smaller', async () => {
  await fill()
  const unlogged = request(200, nowSeconds())
  await opened.db
    .connection()
    .execute(db =>
      insertUnloggedRequests(
        { executeQuery: (query: Parameters<typeof db.executeQuery>[0]) => db.executeQuery(query) },
        [unlogged],
      ),
    )
  await countAllRequests({ ...opened, reader: opened.db }, nowSeconds())
  await sql`delete from receipts where log_id in (select id from logs where created_at = ${OLD})`.execute(
    opened.db,
  )
  await sql`delete from logs where created_at = ${OLD}`.execute(opened.db)
  expect(await auditAnalytics(opened)).toEqual({ drift: 0, first: [], requests: 30 })
  await sql`update analytics_gateway_days set cost_nanos = 0`.execute(opened.db)
  expect((await auditAnalytics(opened)).first).toContainEqual(
    expect.objectContaining({ rollUp: 'analytics_gateway_days', figure: 'cost_nanos', found: 0 }),
  )
})
