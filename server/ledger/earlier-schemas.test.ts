import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { contentOf, shapesOf } from '../db/backup/testing.ts'
import type { TableShape } from '../db/copy/table-shapes.ts'
import { isMigrated, migrate, type OpenDatabase } from '../db/engine/database.ts'
import { openEmptyTestDatabase } from '../db/testing.ts'
import { auditLedger } from './audit.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  openTestLedger,
  type TestLedger,
} from './testing.ts'

const NAMES = migrations.map(({ name }) => name)
/** A release can have any of them: the newest is the schema of this version. */
const EARLIER = NAMES.slice(0, -1).map((name, index) => [name, NAMES.slice(0, index + 1)] as const)

let fixture: TestLedger
let newest: readonly TableShape[]

beforeAll(async () => {
  newest = await shapesOf()
  fixture = await openTestLedger()
  const { db, ledger } = fixture
  for (const quota of [1000, 50_000]) {
    const userId = await createUser(db, quota)
    const tokenId = await createToken(db, userId, quota)
    const channelId = await createChannel(db)
    for (const units of [1, 77, 300])
      await ledger.settle(
        await ledger.reserve(buildHoldRequest(userId, 300, tokenId)),
        buildBill(units, channelId),
      )
    await ledger.reserve(buildHoldRequest(userId, 50, tokenId))
  }
})
afterAll(() => fixture.close())

test.each(EARLIER)(
  'a database of schema %s keeps its rows and its balances in an upgrade',
  async (_, names) => {
    const opened = await openEmptyTestDatabase()
    await migrate(opened, names)
    const shapes = withKnownColumns(await shapesOf(names))
    await copyRows(opened, shapes)
    expect(await isMigrated(opened)).toBe(false)

    await migrate(opened)
    expect(await isMigrated(opened)).toBe(true)
    expect(await contentOf(opened.db, shapes)).toEqual(await contentOf(fixture.db, shapes))
    const { drift, counts } = await auditLedger(opened.db)
    expect(drift).toBe(0)
    expect(counts).toMatchObject({ users: 2, charges: 6, openHolds: 2, unloggedCharges: 0 })
    await opened.close()
  },
)

/** Tables and columns that an earlier schema shares with the newest. */
const withKnownColumns = (shapes: readonly TableShape[]): readonly TableShape[] =>
  shapes.flatMap(shape => {
    const known = newest.find(({ name }) => name === shape.name)
    return known
      ? [{ ...shape, columns: shape.columns.filter(column => known.columns.includes(column)) }]
      : []
  })

async function copyRows({ db }: OpenDatabase, shapes: readonly TableShape[]): Promise<void> {
  for (const { name, columns } of shapes.filter(shape => shape.name !== 'tasks')) {
    const names = sql.join(columns.map(column => sql.ref(column)))
    const { rows } = await sql<Record<string, unknown>>`select ${names} from ${sql.table(name)}`.execute(
      fixture.db,
    )
    await sql`delete from ${sql.table(name)}`.execute(db)
    for (const row of rows)
      await sql`insert into ${sql.table(name)} (${names}) values (${sql.join(columns.map(column => row[column]))})`.execute(
        db,
      )
  }
}
