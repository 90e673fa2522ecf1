import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type PostgresPair, startPostgresPair } from '../../../tests/harness/postgres-pair.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { migrations } from '../../testing/migrations.ts'
import { migrate, type OpenDatabase, openDatabase } from '../engine/database.ts'
import { insertRequestLogs } from '../logs/log-writes.ts'
import { buildLogRow } from '../testing.ts'
import { CommittedLogs } from './committed-logs.ts'
import { countNewRequests } from './count-requests.ts'

const TIMEOUT_MS = 60_000
const AT = 1_800_000_000
/** More than the ids that a sequence leaves out after a crash. */
const LOST = 100

let pair: PostgresPair
let database: OpenDatabase
beforeAll(async () => {
  pair = await startPostgresPair()
  const url = `postgres://postgres@127.0.0.1:${pair.first.port},127.0.0.1:${pair.second.port}/postgres`
  database = openDatabase({ url, durability: 'process', connections: 1 }, migrations)
  await migrate(database)
}, TIMEOUT_MS)
afterAll(async () => {
  await database?.close()
  await pair?.stop()
})

/** Two transactions for each row. */
async function insert(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await database.db.connection().execute(db =>
      insertRequestLogs({ executeQuery: query => db.executeQuery(query) }, database.engine, [
        {
          row: buildLogRow({ request_id: crypto.randomUUID(), created_at: AT }),
          receipt: JSON.stringify({ use_ms: 1, dialect: 'openai' }),
        },
      ]),
    )
}

const readNumber = async (expression: ReturnType<typeof sql>): Promise<number> => {
  const { rows } = await sql<{ value: string }>`select cast(${expression} as text) as value`.execute(
    database.db,
  )
  return Number(rows[0]?.value)
}
const newestId = () => readNumber(sql`(select max(id) from logs)`)

test(
  'counts each row of a new primary once, also those that have the ids of lost rows',
  async () => {
    const logs = new CommittedLogs(database.engine)
    const count = async (id: number) =>
      countNewRequests({ db: database.db, engine: database.engine, reader: database.db }, id, AT)
    await insert(10)
    await count(await logs.findAll(database.db))
    await pair.second.lag()
    await insert(LOST)
    await logs.find(database.db)
    const lostId = await newestId()

    await pair.first.kill()
    await pair.second.loseLag()
    await pair.second.promote()
    await waitUntil({ description: 'the new primary', timeoutMs: TIMEOUT_MS }, () =>
      insert(1).then(
        () => true,
        () => false,
      ),
    )
    expect(await newestId()).toBeLessThan(lostId)
    // Transactions have the numbers of lost ones, too.
    for (let number = 0; number < 3 * LOST; number += 1) await readNumber(sql`txid_current()`)
    expect(await logs.find(database.db)).toBeLessThanOrEqual(await newestId())
    await count(await logs.find(database.db))
    await insert(LOST)
    await count(await logs.findAll(database.db))
    expect(await readNumber(sql`(select sum(requests) from analytics_minutes)`)).toBe(
      await readNumber(sql`(select count(*) from logs)`),
    )
  },
  TIMEOUT_MS,
)
