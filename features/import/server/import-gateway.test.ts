import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { loadProviders } from '#server/compose/modules.ts'
import { createSecrets, TOKEN_KEY_PURPOSE, verifyPassword } from '#server/core/crypto.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { importGateway } from './import-gateway.ts'
import { addRows, type ImportReport, renderReport, renderSummary } from './import-report.ts'
import type { ImportKind } from './import-source.ts'
import { source as oneApi } from './sources/one-api/index.ts'

const PROGRAMS = ['one-api', 'new-api-2025', 'new-api'] as const
const providers = loadProviders()
const secrets = createSecrets('the secret key of the test')

/** What the programs themselves accept, measured at their HTTP interfaces. */
const Truth = z.object({
  users: z.array(
    z.object({ id: z.number(), username: z.string(), password: z.string().nullable(), sign_in: z.string() }),
  ),
  tokens: z.array(z.object({ id: z.number(), key: z.string(), authenticate: z.string() })),
})

let folder: TemporaryFolder
let target: OpenDatabase
beforeEach(async () => {
  folder = makeTemporaryFolder()
  target = await openTestDatabase()
})
afterEach(async () => {
  await target.close()
  folder.remove()
})

/** A file with rows that the program wrote. Further statements make it as dirty as real ones. */
function writeSource(program: string, ...statements: readonly string[]): string {
  const path = join(folder.path, `${program}.db`)
  const file = new SqliteFile(path, { create: true })
  file.exec('begin')
  file.exec(readFileSync(join(import.meta.dir, 'fixtures', `${program}.sql`), 'utf8'))
  for (const statement of statements) file.exec(statement)
  file.exec('commit')
  file.close()
  return path
}

const readTruth = (program: string) =>
  Truth.parse(JSON.parse(readFileSync(join(import.meta.dir, 'fixtures', `${program}.json`), 'utf8')))

const run = async (location: string, request: { isDryRun?: boolean; logsFrom?: number } = {}) =>
  importGateway(
    {
      location,
      isDryRun: false,
      logsFrom: undefined,
      saltKey: undefined,
      passphrase: undefined,
      variable: () => undefined,
      ...request,
    },
    { database: target, secrets, registry: createRegistry(await providers) },
    [oneApi],
  )

const numberIn = async (text: string): Promise<number> => {
  const { rows } = await sql
    .raw<{ n: number | string | null }>(`select (select ${text}) as n`)
    .execute(target.db)
  return Number(rows[0]?.n ?? 0)
}
const numberThere = (location: string, text: string): number => {
  const file = new SqliteFile(location, { readonly: true })
  const row = z.object({ n: z.number().nullable() }).parse(file.query(`select (select ${text}) as n`).get())
  file.close()
  return row.n ?? 0
}

const skipReasons = (report: ImportReport, kind: ImportKind) =>
  (report.tables.get(kind)?.skipped.rows ?? []).map(({ row, reason }) => `${row}: ${reason}`)
const questions = (report: ImportReport, kind: ImportKind) =>
  (report.tables.get(kind)?.questions.rows ?? []).map(({ row, reason }) => `${row}: ${reason}`)

describe.each(PROGRAMS)('%s', program => {
  test('keeps balances and counters to the unit, and the ledger balances', async () => {
    const location = writeSource(program)
    await run(location, { logsFrom: 0 })
    for (const column of ['quota', 'used_quota', 'request_count'])
      expect(await numberIn(`sum(${column}) from users`)).toBe(
        numberThere(location, `sum(${column}) from users`),
      )
    const known = 'from tokens where user_id in (select id from users)'
    for (const column of [
      'sum(used_quota)',
      'sum(case when unlimited_quota = 1 then 0 else remain_quota end)',
    ])
      expect(await numberIn(`${column} from tokens`)).toBe(numberThere(location, `${column} ${known}`))
    expect(await numberIn('count(*) from logs')).toBe(numberThere(location, 'count(*) from logs'))
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test('accepts the same passwords and the same keys', async () => {
    await run(writeSource(program))
    const { users, tokens } = readTruth(program)
    for (const { username, password, sign_in } of users) {
      const row = await target.db
        .selectFrom('users')
        .selectAll()
        .where('username', '=', username)
        .executeTakeFirst()
      const isOn = row?.status === 1 && row.deleted_at === null
      const isRight = password !== null && (await verifyPassword(password, row?.password_hash ?? ''))
      expect([username, isOn && isRight]).toEqual([username, sign_in === 'must'])
    }
    for (const { id, key, authenticate } of tokens.filter(token => token.authenticate !== 'either')) {
      const keyHash = secrets.hash(TOKEN_KEY_PURPOSE, key.replace(/^sk-/, ''))
      expect([id, authenticate === 'must']).toEqual([id, await isUsable(keyHash)])
    }
  })

  test('writes nothing in a dry run, and nothing in a second run', async () => {
    const location = writeSource(program)
    const rehearsal = await run(location, { isDryRun: true, logsFrom: 0 })
    expect(await numberIn('count(*) from users')).toBe(0)
    const first = await run(location, { logsFrom: 0 })
    expect({ ...rehearsal, isDryRun: false }).toEqual(first)
    const postings = await numberIn('count(*) from postings')
    const second = await run(location, { logsFrom: 0 })
    for (const [kind, table] of second.tables) expect([kind, table.brought]).toEqual([kind, 0])
    expect(await numberIn('count(*) from postings')).toBe(postings)
  })
})

/** Whether the gateway would let a request with this key in. */
async function isUsable(keyHash: string): Promise<boolean> {
  const row = await target.db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.status', 'expired_time', 'remain_quota', 'unlimited_quota', 'users.status as owner'])
    .where('key_hash', '=', keyHash)
    .where('tokens.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row?.status !== 1 || row.owner !== 1) return false
  const isExpired = row.expired_time !== -1 && row.expired_time < NEWEST_ROW
  return !isExpired && (row.unlimited_quota === 1 || row.remain_quota > 0)
}

/** The truth was measured shortly after. */
const NEWEST_ROW = 1_795_567_400

describe('bad rows', () => {
  test('names each with its reason and brings the others', async () => {
    const location = writeSource(
      'new-api',
      `update users set quota = -500, email = 'root@example.com' where id = 2`,
      `update users set quota = 9223372036854775807 where id = 3`,
      `insert into tokens (id, user_id, key, status, name, expired_time, unlimited_quota) select 9001, user_id, key, 1, 'copy', -1, 1 from tokens order by id limit 1`,
      `insert into tokens (id, user_id, key, status, name, expired_time, unlimited_quota) values (9002, 777, 'orphan', 1, 'orphan', -1, 1)`,
      `insert into channels (id, type, key, status, name, models) values (9003, 4711, 'k', 1, 'unknown', 'm')`,
    )
    const report = await run(location)
    expect(questions(report, 'users')).toEqual([
      '2: the balance is below zero (-500) and came as it is',
      '2: email belongs to another account and did not come',
      expect.stringContaining('3: quota is 9223372036854775807, more than this gateway counts exactly'),
    ])
    expect(skipReasons(report, 'tokens')).toEqual([
      '9001: another token here has the same key',
      '9002: its owner 777 is not here',
    ])
    expect(skipReasons(report, 'channels')).toContain('9003: this gateway has no channels of the type 4711')
    expect(renderSummary(report)).toContain('new-api: imported')
    expect(renderReport(report)).toContain('"row": "9003"')
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test('names the users whose second factor is not imported', async () => {
    const report = await run(
      writeSource(
        'new-api',
        'create table two_fas (id integer, user_id integer, secret text, is_enabled integer)',
        `insert into two_fas values (1, 2, 'JBSWY3DPEHPK3PXP', 1), (2, 3, 'JBSWY3DPEHPK3PXP', 0)`,
      ),
    )
    expect(questions(report, 'users').filter(question => question.includes('second factor'))).toEqual([
      '2: the second factor did not come: the password alone signs in here',
    ])
  })

  test('counts all rows that do not come, and keeps the first for the report', () => {
    const list = { count: 0, rows: [] }
    const rows = Array.from({ length: 30_000 }, (_, row) => ({ row: String(row), name: '', reason: 'bad' }))
    for (const part of [rows, rows]) addRows(list, part)
    expect([list.count, list.rows.length]).toEqual([60_000, 50_000])
  })

  test('leaves a name to the account that has it, and joins the super administrators', async () => {
    await target.db
      .insertInto('users')
      .values([
        { username: 'root', role: 100, aff_code: 'a', created_at: 1 },
        { username: 'user0001', role: 1, aff_code: 'b', created_at: 1 },
      ])
      .execute()
    const report = await run(writeSource('new-api'))
    expect(skipReasons(report, 'users')).toEqual([
      expect.stringContaining('2: the name "user0001" is taken here'),
    ])
    expect(questions(report, 'users')[0]).toContain('1: joined the super administrator 1')
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test.each([
    ['half a database', 'drop table channels', 'lacks channels'],
    [
      'an unknown version',
      'alter table tokens rename column remain_quota to quota_left',
      'lacks tokens.remain_quota',
    ],
  ])('refuses %s and says what is missing', async (_, statement, message) => {
    await expect(run(writeSource('new-api-2025', statement))).rejects.toThrow(message)
  })

  test('refuses a database of no known gateway', async () => {
    const path = join(folder.path, 'other.db')
    const file = new SqliteFile(path, { create: true })
    file.exec('create table recipes (id integer)')
    file.close()
    await expect(run(path)).rejects.toThrow('no known gateway has a database with these tables: recipes')
    await expect(run(join(folder.path, 'none.db'))).rejects.toThrow('there is no file')
  })
})
