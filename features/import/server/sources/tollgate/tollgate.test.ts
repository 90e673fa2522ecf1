import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { loadProviders } from '#server/compose/modules.ts'
import { createSecrets, storeTokenKey } from '#server/core/crypto.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { options } from '#server/testing/options.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../../../tests/harness/temporary-folder.ts'
import { exportGateway } from '../../export-gateway.ts'
import { importGateway } from '../../import-gateway.ts'
import { source as oneApi } from '../one-api/index.ts'
import { source } from './index.ts'

/** Several keys are derived, on a busy machine. */
const TIMEOUT_MS = 30_000
const PASSPHRASE = 'a passphrase of the test'
const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'new-api-2025.sql')
const HASHED_KEY = 'ab'.repeat(32)
const providers = loadProviders()
const [here, there] = [createSecrets('the key of this gateway'), createSecrets('the key of the other')]

let folder: TemporaryFolder
let origin: OpenDatabase
let target: OpenDatabase
/** An export with secrets. Deriving its key takes longer than all else. */
let exported: string

beforeAll(async () => {
  folder = makeTemporaryFolder()
  origin = await openTestDatabase()
  await fillOrigin()
  exported = await writeExport(PASSPHRASE)
}, TIMEOUT_MS)
afterAll(async () => {
  await origin.close()
  folder.remove()
})
beforeEach(async () => {
  target = await openTestDatabase()
})
afterEach(() => target.close())

/** A gateway with everything: that of another program, and a token of whose key only the hash is known. */
async function fillOrigin(): Promise<void> {
  const path = join(folder.path, 'new-api.db')
  const file = new SqliteFile(path, { create: true })
  file.exec(`begin; ${readFileSync(FIXTURE, 'utf8')} commit`)
  file.close()
  await run(path, { database: origin, secrets: there })
  await origin.db
    .insertInto('tokens')
    .values({
      ...storeTokenKey(there, { sha256: HASHED_KEY }),
      user_id: 2,
      name: 'hashed',
      created_time: 1,
      accessed_time: 1,
      unlimited_quota: 1,
    })
    .execute()
}

const run = async (
  location: string,
  place: { database: OpenDatabase; secrets: typeof here },
  { passphrase }: { passphrase?: string } = {},
) =>
  importGateway(
    {
      location,
      isDryRun: false,
      logsFrom: undefined,
      saltKey: undefined,
      passphrase,
      variable: () => undefined,
    },
    { ...place, registry: createRegistry(await providers), options },
    [oneApi, source],
  )

const Document = z.looseObject({
  options: z.array(z.looseObject({})),
  users: z.array(z.looseObject({ id: z.number(), secrets: z.record(z.string(), z.string()).optional() })),
  tokens: z.array(z.looseObject({ id: z.number(), secrets: z.record(z.string(), z.string()).optional() })),
})

async function writeExport(passphrase?: string): Promise<string> {
  let text = ''
  const request = { db: origin.db, secrets: there, passphrase }
  await exportGateway({ ...request, options }, part => {
    text += part
  })
  return text
}

function writeFile(text: string): string {
  const path = join(folder.path, 'export.json')
  writeFileSync(path, text)
  return path
}

const rowsOf = async ({ db }: OpenDatabase, text: string) => (await sql.raw(text).execute(db)).rows
const toTarget = () => ({ database: target, secrets: here })

/** Everything that must be the same, by id. */
const COLUMNS = [
  'select id, username, role, status, email, quota, used_quota, request_count, "group", aff_code, inviter_id, password_hash, created_at, deleted_at from users order by id',
  'select id, user_id, name, status, remain_quota, used_quota, unlimited_quota, model_limits, allow_ips, expired_time, deleted_at from tokens order by id',
  'select id, type, name, base_url, models, "group", used_quota, model_mapping, priority, status from channels order by id',
  'select key from options order by key',
]

test(
  'an export with secrets makes the same gateway under another secret key',
  async () => {
    const report = await run(writeFile(exported), toTarget(), { passphrase: PASSPHRASE })
    for (const { skipped } of report.tables.values()) expect(skipped.rows).toEqual([])
    for (const columns of COLUMNS)
      expect(await rowsOf(target, columns)).toEqual(await rowsOf(origin, columns))
    const stored = await origin.db.selectFrom('tokens').select(['id', 'key_sealed']).orderBy('id').execute()
    const expected = stored.map(({ id, key_sealed }) => {
      const key = there.decrypt(key_sealed)
      expect(exported).not.toContain(key)
      const known = key.startsWith('sha256:') ? { sha256: HASHED_KEY } : { text: key }
      return { id, key_hash: storeTokenKey(here, known).key_hash }
    })
    expect(await target.db.selectFrom('tokens').select(['id', 'key_hash']).orderBy('id').execute()).toEqual(
      expected,
    )
    expect((await auditLedger(target.db)).drift).toBe(0)
  },
  TIMEOUT_MS,
)

test('an export without secrets brings accounts and balances once, and names what it lacks', async () => {
  const text = await writeExport()
  expect(text).not.toContain('$2a$')
  const path = writeFile(text)
  const report = await run(path, toTarget())
  const sums = 'select sum(quota) as quota, sum(used_quota) as used from users'
  expect(await rowsOf(target, sums)).toEqual(await rowsOf(origin, sums))
  expect(report.tables.get('tokens')?.skipped.rows[0]?.reason).toBe('the export does not contain its key')
  expect(await rowsOf(target, 'select distinct status from channels where status = 1')).toEqual([])
  expect((await auditLedger(target.db)).drift).toBe(0)
  const second = await run(path, toTarget())
  expect([...second.tables.values()].map(({ brought }) => brought)).toEqual([0, 0, 0, 0])
})

test(
  'refuses a wrong passphrase, none, and what is no export',
  async () => {
    const path = writeFile(exported)
    await expect(run(path, toTarget(), { passphrase: 'another passphrase' })).rejects.toThrow(
      'the passphrase is wrong',
    )
    await expect(run(path, toTarget())).rejects.toThrow('give the passphrase as EXPORT_PASSPHRASE')
    await expect(run(writeFile('{"name":"other"}'), toTarget())).rejects.toThrow('is no export of Tollgate')
  },
  TIMEOUT_MS,
)

test('refuses to bring an export into the database that it is of', async () => {
  const path = writeFile(await writeExport())
  await expect(run(path, { database: origin, secrets: there })).rejects.toThrow('the very database')
})

test(
  'names rows that are not valid, and secrets that were moved to another row',
  async () => {
    const document = Document.parse(JSON.parse(exported))
    document.users.push({ id: 7777, username: 5 })
    const [first, second] = document.tokens
    if (first && second) second.secrets = first.secrets
    const report = await run(writeFile(JSON.stringify(document)), toTarget(), { passphrase: PASSPHRASE })
    expect(report.tables.get('users')?.skipped.rows).toEqual([
      { row: '7777', name: '', reason: expect.stringContaining('the row is not valid') },
    ])
    expect(report.tables.get('tokens')?.skipped.rows[0]?.reason).toBe(
      'its secrets are damaged, or belong to another row',
    )
  },
  TIMEOUT_MS,
)
