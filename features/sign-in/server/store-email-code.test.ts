import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cancelEmailCode, consumeEmailCode, verifyEmailCode } from '#server/accounts/email-codes.ts'
import { setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import { storeEmailCode } from './store-email-code.ts'

const RESET = { purpose: 'reset', address: 'anna@example.org' } as const
const VERIFY = { purpose: 'verify', address: 'anna@example.org' } as const
const secrets = createSecrets('a secret key for tests')

let database: OpenDatabase
let nowMs = 1_800_000_000_000
let restoreClock: () => void
beforeEach(async () => {
  restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => 0 })
  database = await openTestDatabase()
})
afterEach(async () => {
  await database.close()
  restoreClock()
})

const parts = () => ({ db: database.db, secrets })

test('a code is good for its purpose and address only, and once', async () => {
  await storeEmailCode(VERIFY, 'ABC123', parts())
  expect(await verifyEmailCode(RESET, 'ABC123', parts())).toBeUndefined()
  expect(await verifyEmailCode({ ...VERIFY, address: 'b@example.org' }, 'ABC123', parts())).toBeUndefined()
  const verified = await verifyEmailCode(VERIFY, ' abc123 ', parts())
  if (!verified) throw new Error('expected the code to be accepted')
  expect(await consumeEmailCode(database.db, verified)).toBe(true)
  expect(await consumeEmailCode(database.db, verified)).toBe(false)
})

test('five wrong attempts end a code', async () => {
  await storeEmailCode(RESET, 'ABC123', parts())
  for (let attempt = 0; attempt < 5; attempt += 1)
    expect(await verifyEmailCode(RESET, 'WRONG1', parts())).toBeUndefined()
  expect(await verifyEmailCode(RESET, 'ABC123', parts())).toBeUndefined()
})

test('a code ends after ten minutes', async () => {
  await storeEmailCode(RESET, 'ABC123', parts())
  nowMs += 599_000
  expect(await verifyEmailCode(RESET, 'ABC123', parts())).toBeDefined()
  nowMs += 2_000
  expect(await verifyEmailCode(RESET, 'ABC123', parts())).toBeUndefined()
})

test('another code is stored only after half a minute, unless the former one was cancelled', async () => {
  await storeEmailCode(RESET, 'ABC123', parts())
  await expect(storeEmailCode(RESET, 'DEF456', parts())).rejects.toMatchObject({ code: 'mail_code.too_soon' })
  await cancelEmailCode(database.db, RESET, parts())
  expect(await verifyEmailCode(RESET, 'ABC123', parts())).toBeUndefined()
  await storeEmailCode(RESET, 'DEF456', parts())
  nowMs += 31_000
  await storeEmailCode(RESET, 'GHI789', parts())
  expect(await verifyEmailCode(RESET, 'GHI789', parts())).toBeDefined()
})
