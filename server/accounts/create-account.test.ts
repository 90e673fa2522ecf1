import { afterEach, beforeEach, expect, test } from 'bun:test'
import { verifyPassword } from '../core/crypto.ts'
import type { OpenDatabase } from '../db/engine/database.ts'
import { selectOptions, upsertOption } from '../db/system/options.ts'
import { openTestDatabase } from '../db/testing.ts'
import { auditLedger } from '../ledger/audit.ts'
import { createFirstRoot } from './create-account.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const users = () => database.db.selectFrom('users').selectAll().execute()

test('creates a super administrator with a random password to be changed and a posted quota', async () => {
  const { db } = database
  const password = await createFirstRoot({ db })
  const [root] = await users()
  expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
  expect(root).toMatchObject({ username: 'root', role: 100, quota: 100_000_000, must_change_password: 1 })
  expect(await verifyPassword(password ?? '', root?.password_hash ?? '')).toBe(true)
  expect((await auditLedger(db)).drift).toBe(0)
})

test('tries two more channels in new installations, and keeps what is stored', async () => {
  const { db } = database
  await createFirstRoot({ db })
  expect(await selectOptions(db)).toEqual([{ key: 'RetryTimes', value: '2' }])
  await upsertOption(db, { key: 'RetryTimes', value: '0' })
  await createFirstRoot({ db })
  expect(await selectOptions(db)).toEqual([{ key: 'RetryTimes', value: '0' }])
})

test('neither returns a chosen password nor requires it to be changed', async () => {
  expect(await createFirstRoot({ db: database.db, password: 'chosen by me' })).toBeUndefined()
  const [root] = await users()
  expect(root?.must_change_password).toBe(0)
  expect(await verifyPassword('chosen by me', root?.password_hash ?? '')).toBe(true)
})

test('creates one super administrator, however many processes start at once or again', async () => {
  const { db } = database
  const password = await Promise.all([createFirstRoot({ db }), createFirstRoot({ db })])
  expect(await createFirstRoot({ db })).toBeUndefined()
  expect(password.filter(password => password !== undefined)).toHaveLength(1)
  expect(await users()).toHaveLength(1)
})
