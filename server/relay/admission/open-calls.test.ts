import { afterEach, beforeEach, expect, test } from 'bun:test'
import { TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { withTimeout } from '../../core/async.ts'
import type { GatewayError } from '../../core/errors.ts'
import { noopLogger } from '../../core/logger.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { OpenCalls } from './open-calls.ts'

/** A look at the callers, and the time of a busy machine. */
const WITHIN_MS = 8_000

let relay: TestRelay
beforeEach(async () => {
  relay = await TestRelay.open()
})
afterEach(() => relay.close())

const { banned } = USER_STATUS
const { disabled, exhausted } = TOKEN_STATUS
const PAST_SECONDS = 5
const ADDRESS = '192.0.2.1'

const setUser = (columns: object) => relay.db.updateTable('users').set(columns).execute()
const setToken = (columns: object) => relay.db.updateTable('tokens').set(columns).execute()

/** What another process may do to the caller of something open. */
const ENDS: readonly (readonly [code: string, end: () => Promise<unknown>])[] = [
  ['user_banned', () => setUser({ status: banned })],
  ['invalid_api_key', () => setUser({ deleted_at: PAST_SECONDS })],
  ['token_disabled', () => setToken({ status: disabled })],
  ['token_expired', () => setToken({ expired_time: PAST_SECONDS })],
  ['invalid_api_key', () => setToken({ deleted_at: PAST_SECONDS })],
  ['invalid_api_key', () => relay.db.deleteFrom('tokens').execute()],
  ['ip_not_allowed', () => setToken({ allow_ips: '203.0.113.9' })],
  ['group_not_allowed', () => setToken({ group: 'elsewhere' })],
]

/** What takes nobody's access. */
const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  'the wallet is empty': () => setUser({ quota: 0 }),
  'the quota of the token is used up': () => setToken({ unlimited_quota: 0, remain_quota: 0 }),
  'the token is marked as used up': () => setToken({ status: exhausted }),
  'the token has a name': () => setToken({ name: 'renamed' }),
  'its address is listed': () => setToken({ allow_ips: ADDRESS }),
}

async function openCall(checks = relay.context.openCalls, sessionHash?: string) {
  await relay.addToken()
  const last = relay.db.selectFrom('tokens').select('id').orderBy('id', 'desc')
  const token = sessionHash === undefined ? await last.executeTakeFirstOrThrow() : undefined
  const { promise: revoked, resolve } = Promise.withResolvers<GatewayError>()
  const caller = { token, ...(sessionHash !== undefined && { sessionHash }) }
  const call = { caller, connection: { clientIp: () => ADDRESS }, revoke: resolve }
  checks.add(call)
  return { end: () => checks.delete(call), revoked }
}

const whetherRevoked = (revoked: Promise<GatewayError>, ms = 10): Promise<string> =>
  withTimeout(ms, revoked).then(
    ({ code }) => code,
    () => 'goes on',
  )

test.each(ENDS)('revokes with %s', async (code, end) => {
  const call = await openCall()
  await relay.context.openCalls.check()
  expect(await whetherRevoked(call.revoked)).toBe('goes on')
  await end()
  await relay.context.openCalls.check()
  expect(await whetherRevoked(call.revoked)).toBe(code)
})

test('looks by itself', async () => {
  const stop = relay.context.openCalls.checkEachSecond()
  const { revoked } = await openCall()
  await setUser({ status: banned })
  expect(await whetherRevoked(revoked, WITHIN_MS)).toBe('user_banned')
  await stop()
})

test.each(Object.entries(CHANGES))('goes on although %s', async (_, change) => {
  const { revoked } = await openCall()
  await change()
  await relay.context.openCalls.check()
  expect(await whetherRevoked(revoked)).toBe('goes on')
})

test('revokes what a session opened when that session or its user ends, and nothing else', async () => {
  const sessions = ['first', 'second', 'third']
  for (const id_hash of sessions)
    await relay.db
      .insertInto('sessions')
      .values({ id_hash, user_id: relay.userId, created_at: 1, expires_at: 9e9 })
      .execute()
  const [first, second, ended] = await Promise.all(sessions.map(hash => openCall(undefined, hash)))
  ended?.end()
  await relay.db.deleteFrom('sessions').where('id_hash', '=', 'first').execute()
  await relay.context.openCalls.check()
  const states = async () =>
    Promise.all([first, second, ended].map(call => call && whetherRevoked(call.revoked)))
  expect(await states()).toEqual(['invalid_api_key', 'goes on', 'goes on'])
  await setUser({ status: banned })
  await relay.context.openCalls.check()
  expect(await states()).toEqual(['invalid_api_key', 'invalid_api_key', 'goes on'])
})

test('revokes nothing while the storage does not respond', async () => {
  const { db, settings } = relay.context
  const checks = new OpenCalls({ db, settings, log: noopLogger })
  const { revoked } = await openCall(checks)
  await relay.db.schema.alterTable('tokens').renameTo('lost').execute()
  await expect(checks.check()).rejects.toThrow()
  expect(await whetherRevoked(revoked)).toBe('goes on')
  await relay.db.schema.alterTable('lost').renameTo('tokens').execute()
})
