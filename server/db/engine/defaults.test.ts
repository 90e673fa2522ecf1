import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { defaultsOf, fromCells } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { UserRecord } from '#contract/entities/user-fields.ts'
import { findChannel, insertChannel } from '#features/channels/server/queries/channels.ts'
import { findToken, insertToken } from '../accounts/tokens.ts'
import { findUser, insertUserIfNew } from '../accounts/users.ts'
import { openTestDatabase } from '../testing.ts'
import type { OpenDatabase } from './database.ts'

let database: OpenDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('the database gives the fields of a token the defaults that the contract declares', async () => {
  const { db } = database
  const token = { user_id: 1, name: 'a', key_hash: 'b', key_sealed: 'c', created_time: 1, accessed_time: 1 }
  const row = await findToken(db, { id: 1 }, await insertToken(db, token))
  expect(row && fromCells(TokenFields, row)).toEqual({ name: 'a', ...defaultsOf(TokenFields) })
})

test('the database gives the fields of a user the defaults that the contract declares', async () => {
  const { db } = database
  const given = { username: 'a', aff_code: 'b' }
  const id = await insertUserIfNew(db, { ...given, created_at: 1 })
  const row = await findUser(db, id ?? 0)
  expect(row && fromCells(UserRecord, row)).toEqual({ ...given, ...defaultsOf(UserRecord) })
})

test('the database gives the fields of a channel the defaults that the contract declares', async () => {
  const { db } = database
  const given = { type: 1, name: 'a', models: 'b' }
  const id = await insertChannel(db, { ...given, key_hash: 'c', key_sealed: 'd', created_time: 1 })
  const row = await findChannel(db, id)
  expect(row && fromCells(ChannelFields, row)).toEqual({ ...given, ...defaultsOf(ChannelFields) })
})
