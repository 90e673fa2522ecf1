import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../../tests/harness/temporary-folder.ts'
import { loadFolders } from '../../../compose/modules.ts'
import { createSecrets, storeTokenKey } from '../../../core/crypto.ts'
import type { OpenDatabase } from '../../../db/engine/database.ts'
import { openTestDatabase } from '../../../db/testing.ts'
import { auditLedger } from '../../../ledger/audit.ts'
import { createRegistry } from '../../../providers/registry.ts'
import { exportGateway } from '../../export-gateway.ts'
import { importGateway } from '../../import-gateway.ts'
import { source as oneApi } from '../one-api/index.ts'
import { source } from './index.ts'

const PASSPHRASE = 'a passphrase of the test'
const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'new-api-2025.sql')
const HASHED_KEY = 'ab'.repeat(32)
const providers = loadFolders(join(import.meta.dir, '..', '..', '..', 'providers'))
const [here, there] = [createSecrets('the key of this gateway'), createSecrets('the key of the other')]

let folder: TemporaryFolder
let origin: OpenDatabase
let target: OpenDatabase
beforeEach(async () => {
  folder = makeTemporaryFolder()
  origin = await openTestDatabase()
  target = await openTestDatabase()
  await fillOrigin()
})
afterEach(async () => {
  await origin.close()
  await target.close()
  folder.remove()
})

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
    { ...place, registry: createRegistry(await providers) },
    [oneApi, source],
  )

const Document = z.looseObject({
  options: z.array(z.looseObject({})),
  users: z.array(z.looseObject({ id: z.number(), secrets: z.record(z.string(), z.string()).optional() })),
  tokens: z.array(z.looseObject({ id: z.number(), secrets: z.record(z.string(), z.string()).optional() })),
})

async function writeExport(passphrase?: string, change?: (document: z.output<typeof Document>) => void) {
  let text = ''
  const request = { db: origin.db, secrets: there, passphrase }
  await exportGateway(request, part => {
    text += part
  })
  const document = Document.parse(JSON.parse(text))
  change?.(document)
  const path = join(folder.path, 'export.json')
  writeFileSync(path, JSON.stringify(document))
  return { path, text }
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

test('an export with secrets makes the same gateway under another secret key', async () => {
  const { path, text } = await writeExport(PASSPHRASE)
  const report = await run(path, toTarget(), { passphrase: PASSPHRASE })
  expect([...report.tables].map(([kind, { skipped }]) => [kind, skipped.rows])).toEqual(
    [...report.tables].map(([kind]) => [kind, []]),
  )
  for (const columns of COLUMNS) expect(await rowsOf(target, columns)).toEqual(await rowsOf(origin, columns))
  for (const { id, key_hash } of await target.db.selectFrom('tokens').select(['id', 'key_hash']).execute()) {
    const { key_sealed } = await origin.db
      .selectFrom('tokens')
      .select('key_sealed')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const key = there.decrypt(key_sealed)
    const known = key.startsWith('sha256:') ? { sha256: HASHED_KEY } : { text: key }
    expect(key_hash).toBe(storeTokenKey(here, known).key_hash)
    expect(text).not.toContain(key)
  }
  expect((await auditLedger(target.db)).drift).toBe(0)
  const second = await run(path, toTarget(), { passphrase: PASSPHRASE })
  expect([...second.tables].map(([, { brought }]) => brought)).toEqual([0, 0, 0, 0])
})

test('an export without secrets brings accounts and balances, and names what it lacks', async () => {
  const { path, text } = await writeExport()
  expect(text).not.toContain('$2a$')
  const report = await run(path, toTarget())
  const sums = 'select sum(quota) as quota, sum(used_quota) as used from users'
  expect(await rowsOf(target, sums)).toEqual(await rowsOf(origin, sums))
  expect(report.tables.get('tokens')?.skipped.rows[0]?.reason).toBe('the export does not contain its key')
  expect(await rowsOf(target, 'select distinct status from channels where status = 1')).toEqual([])
  expect((await auditLedger(target.db)).drift).toBe(0)
})

test('refuses a wrong passphrase, none, and what is no export', async () => {
  const { path } = await writeExport(PASSPHRASE)
  await expect(run(path, toTarget(), { passphrase: 'another passphrase' })).rejects.toThrow(
    'the passphrase is wrong',
  )
  await expect(run(path, toTarget())).rejects.toThrow('give the passphrase as EXPORT_PASSPHRASE')
  const other = join(folder.path, 'package.json')
  writeFileSync(other, '{"name":"other"}')
  await expect(run(other, toTarget())).rejects.toThrow('is no export of Tollgate')
})

test('refuses to bring an export into the database that it is of', async () => {
  const { path } = await writeExport()
  await expect(run(path, { database: origin, secrets: there })).rejects.toThrow('the very database')
})

test('names rows that are not valid, and secrets that were moved to another row', async () => {
  const { path } = await writeExport(PASSPHRASE, ({ users, tokens }) => {
    users.push({ id: 7777, username: 5 })
    const [first, second] = tokens
    if (first && second) second.secrets = first.secrets
  })
  const report = await run(path, toTarget(), { passphrase: PASSPHRASE })
  expect(report.tables.get('users')?.skipped.rows).toEqual([
    { row: '7777', name: '', reason: expect.stringContaining('the row is not valid') },
  ])
  expect(report.tables.get('tokens')?.skipped.rows[0]?.reason).toBe(
    'its secrets are damaged, or belong to another row',
  )
})
