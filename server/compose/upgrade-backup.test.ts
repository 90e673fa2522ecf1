import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { readConfig } from '../config/config.ts'
import { noopLogger } from '../core/logger.ts'
import { withCopy } from '../db/copy/backup.ts'
import { listMigrations, migrate, type OpenDatabase, openDatabase } from '../db/engine/database.ts'
import { backUpBeforeUpgrade } from './upgrade-backup.ts'

const EARLIER = migrations.slice(0, 3).map(({ name }) => name)

let folder: TemporaryFolder
let database: OpenDatabase

beforeEach(async () => {
  folder = makeTemporaryFolder()
  database = openDatabase({ url: join(folder.path, 'tollgate.db'), durability: 'process' }, migrations)
})
afterEach(async () => {
  await database.close()
  folder.remove()
})

const backUp = (environment: Readonly<Record<string, string>> = {}) =>
  backUpBeforeUpgrade(
    database,
    readConfig({ DATA_DIR: folder.path, SECRET_KEY: 'a-key-of-the-test', ...environment }),
    noopLogger,
  )

const backups = () =>
  existsSync(join(folder.path, 'backups')) ? readdirSync(join(folder.path, 'backups')) : []

test('writes a backup with the earlier schema before an upgrade', async () => {
  await migrate(database, EARLIER)
  await sql`insert into options (key, value) values ('kept', 'yes')`.execute(database.db)
  await backUp()
  const [name = '', ...others] = backups()
  expect(others).toEqual([])
  expect(name).toMatch(/^before-upgrade-.+Z\.db$/)
  await withCopy(join(folder.path, 'backups', name), migrations, async copy => {
    expect((await listMigrations(copy)).applied).toEqual(EARLIER)
    const { rows } = await sql`select * from options`.execute(copy.db)
    expect(rows).toEqual([{ key: 'kept', value: 'yes' }])
  })
})

test('writes no backup of an empty database, of the newest schema, or when it is switched off', async () => {
  await backUp()
  await migrate(database, EARLIER)
  await backUp({ BACKUP_BEFORE_UPGRADE: 'off' })
  await migrate(database)
  await backUp()
  expect(backups()).toEqual([])
})

test('keeps the newest three backups of upgrades', async () => {
  await migrate(database, EARLIER)
  await backUp()
  for (const day of [1, 2, 3])
    writeFileSync(join(folder.path, 'backups', `before-upgrade-2025-01-0${day}T00-00-00Z.db`), '')
  writeFileSync(join(folder.path, 'backups', 'notes.txt'), '')
  await backUp({ BACKUP_DIR: join(folder.path, 'backups') })
  const names = backups()
  expect(names.filter(name => name.startsWith('before-upgrade'))).toHaveLength(3)
  expect(names).toContain('notes.txt')
  expect(names).not.toContain('before-upgrade-2025-01-01T00-00-00Z.db')
})

test('stops the upgrade when the backup cannot be written, and says how to go on', async () => {
  await migrate(database, EARLIER)
  const BACKUP_DIR = join(folder.path, 'file')
  writeFileSync(BACKUP_DIR, '')
  await expect(backUp({ BACKUP_DIR })).rejects.toThrow(
    /cannot be backed up before its upgrade.+BACKUP_BEFORE_UPGRADE=off/,
  )
  expect((await listMigrations(database)).applied).toEqual(EARLIER)
  rmSync(BACKUP_DIR)
})
