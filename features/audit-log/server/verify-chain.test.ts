import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { appendRow } from './chain.ts'
import { listAuditRows } from './queries.ts'
import { deleteOldRows } from './retention.ts'
import { withAuditTables } from './tables.ts'
import { verifyAuditLog } from './verify-chain.ts'

const SECRET_KEY = 'a secret key for tests'
const secrets = createSecrets(SECRET_KEY)
const ROWS = 9
const DAY = 86_400
const ANY = { actor: '', kind: '', target: '', action: '', search: '', start_timestamp: 0, end_timestamp: 0 }

let database: OpenDatabase
const append = (created_at: number) =>
  appendRow(
    database.db,
    {
      created_at,
      actor_id: 1,
      actor_name: 'root',
      credential: 'session',
      address: '127.0.0.1',
      request_id: '1',
      action: 'PUT /api/channel/',
      kind: 'channel',
      code: '',
      details: '{"input":{},"before":{},"after":{}}',
    },
    ['12'],
    secrets,
  )

beforeEach(async () => {
  database = await openTestDatabase()
  for (let index = 1; index <= ROWS; index += 1) await append(index * DAY)
})
afterEach(() => database.close())

const verify = async (secretKey = SECRET_KEY) =>
  (await verifyAuditLog({ database, config: { dataDir: '/nowhere', secretKey } })).lines
const rows = () => withAuditTables(database.db)

test('proves a chain that nobody has touched', async () => {
  expect(await verify()).toEqual([])
})

test('rows that are added at the same time form one chain', async () => {
  await Promise.all(Array.from({ length: 20 }, () => append(10 * DAY)))
  expect(await verify()).toEqual([])
  expect((await listAuditRows(database.db, ANY, { limit: 1 }))[0]?.id).toBe(ROWS + 20)
})

test.each(['created_at', 'actor_id', 'actor_name', 'address', 'action', 'details', 'code'] as const)(
  'names a row whose %s was changed',
  async column => {
    await sql`update audit_log set ${sql.ref(column)} = '7' where id = 4`.execute(database.db)
    expect(await verify()).toEqual(['audit log: row 4 was changed, moved or inserted'])
  },
)

test('names removed rows, also the first and the last ones', async () => {
  await rows().deleteFrom('audit_log').where('id', 'in', [1, 4, 5, ROWS]).execute()
  expect(await verify()).toEqual([
    'audit log: row 1 was removed',
    'audit log: rows 4 to 5 were removed',
    `audit log: row ${ROWS} was removed`,
  ])
})

test('names rows that changed places', async () => {
  await sql`update audit_log set id = 100 where id = 4`.execute(database.db)
  await sql`update audit_log set id = 4 where id = 6`.execute(database.db)
  await sql`update audit_log set id = 6 where id = 100`.execute(database.db)
  expect((await verify()).join()).toContain('row 4 was changed, moved or inserted')
  expect((await verify()).join()).toContain('row 6 was changed, moved or inserted')
})

test('names rows that were inserted, in a place of another one or at the end', async () => {
  const row = await rows().selectFrom('audit_log').selectAll().where('id', '=', 5).executeTakeFirstOrThrow()
  await rows()
    .insertInto('audit_log')
    .values({ ...row, id: ROWS + 1 })
    .execute()
  await rows().deleteFrom('audit_log').where('id', '=', 3).execute()
  await rows()
    .insertInto('audit_log')
    .values({ ...row, id: 3 })
    .execute()
  const lines = await verify()
  expect(lines).toContain('audit log: row 3 was changed, moved or inserted')
  expect(lines).toContain(`audit log: row ${ROWS + 1} was inserted`)
})

test('names an end that somebody without the secret key has moved', async () => {
  await rows().deleteFrom('audit_log').where('id', '>', 7).execute()
  const last = await rows()
    .selectFrom('audit_log')
    .select('hash')
    .where('id', '=', 7)
    .executeTakeFirstOrThrow()
  await rows()
    .updateTable('audit_ends')
    .set({ audit_id: 7, hash: last.hash })
    .where('name', '=', 'last')
    .execute()
  expect(await verify()).toEqual(['audit log: its last end was moved'])
})

test('a row that was made with another secret key does not verify', async () => {
  expect((await verify('another key')).length).toBeGreaterThan(ROWS)
})

test('verifies from where retention has deleted, and keeps all rows by default', async () => {
  const restore = setClock({ nowMs: () => (ROWS + 0.5) * DAY * 1000, elapsedMs: () => 0 })
  try {
    await deleteOldRows({ db: database.db, secrets, days: () => 0 })
    expect(await listAuditRows(database.db, ANY, { limit: 100 })).toHaveLength(ROWS)
    await deleteOldRows({ db: database.db, secrets, days: () => 3 })
  } finally {
    restore()
  }
  expect((await listAuditRows(database.db, ANY, { limit: 100 })).map(({ id }) => id)).toEqual([9, 8, 7])
  expect(await verify()).toEqual([])
  await append(10 * DAY)
  expect(await verify()).toEqual([])
  const { count } = await rows()
    .selectFrom('audit_targets')
    .select(row => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(4)
  await rows().deleteFrom('audit_log').where('id', '=', 7).execute()
  expect(await verify()).toEqual(['audit log: row 7 was removed'])
})
