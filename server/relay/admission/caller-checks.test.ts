import { afterEach, beforeEach, expect, test } from 'bun:test'
import { TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { withTimeout } from '../../core/async.ts'
import { GatewayError } from '../../core/errors.ts'
import { sameInBoth } from '../../core/language.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { CallerChecks } from './caller-checks.ts'

/** A look at the caller each second, and the time of a busy machine. */
const WITHIN_MS = 4_000

let relay: TestRelay
beforeEach(async () => {
  relay = await TestRelay.open()
})
afterEach(() => relay.close())

const { banned } = USER_STATUS
const { disabled } = TOKEN_STATUS
const PAST_SECONDS = 5

/** What another process may do to the caller of an open socket. */
const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  user_banned: () => relay.db.updateTable('users').set({ status: banned }).execute(),
  token_disabled: () => relay.db.updateTable('tokens').set({ status: disabled }).execute(),
  token_expired: () => relay.db.updateTable('tokens').set({ expired_time: PAST_SECONDS }).execute(),
  invalid_api_key: () => relay.db.deleteFrom('tokens').execute(),
  ip_not_allowed: () => relay.db.updateTable('tokens').set({ allow_ips: '203.0.113.9' }).execute(),
}

async function startChecks(checks = relay.context.callerChecks) {
  const request = new Request('http://gateway.test/v1/realtime', {
    headers: { authorization: `Bearer sk-${await relay.addToken()}` },
  })
  const rejected = Promise.withResolvers<GatewayError>()
  const stop = checks.start(request, connectionFor(request, ''), rejected.resolve)
  return { stop, rejected: rejected.promise }
}

const whetherRejected = (rejected: Promise<GatewayError>, ms = WITHIN_MS): Promise<string> =>
  withTimeout(ms, rejected).then(
    ({ code }) => code,
    () => 'goes on',
  )

test.each(Object.keys(ENDS))('tells of %s although nothing is sent', async code => {
  const { stop, rejected } = await startChecks()
  await ENDS[code]?.()
  expect(await whetherRejected(rejected)).toBe(code)
  stop()
})

test('tells nothing after its end, and nothing while the caller may go on', async () => {
  const [first, second] = [await startChecks(), await startChecks()]
  expect(await whetherRejected(first.rejected, 1_500)).toBe('goes on')
  first.stop()
  await ENDS.user_banned?.()
  expect(await whetherRejected(second.rejected)).toBe('user_banned')
  expect(await whetherRejected(first.rejected, 10)).toBe('goes on')
  second.stop()
})

test('ends nothing while the storage does not respond', async () => {
  const fail = () => Promise.reject(new GatewayError('storage_failed', sameInBoth('no response')))
  const checks = new CallerChecks({
    ...relay.context,
    callers: { find: fail, findImported: fail, findFormer: fail },
  })
  const { stop, rejected } = await startChecks(checks)
  expect(await whetherRejected(rejected, 1_500)).toBe('goes on')
  stop()
})
