import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, deleteToken, updateToken } from '#contract/entities/token.ts'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import { createCallerLookup } from '#server/relay/admission/authenticate.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { findTokenByKey } from '../contract/all-tokens.ts'
import { rotateToken } from '../contract/rotation.ts'

const HOUR_MS = 3_600_000

let app: TestApp
let user: TestClient
let id = 0
let key = ''
const noClock = () => undefined
let restoreClock: () => void = noClock
beforeEach(async () => {
  app = await openTestApp()
  user = await app.addUser({ username: 'anna' })
  ;({ id, key } = (await user.call(createToken, { body: { name: 'prod', unlimited_quota: true } })).data)
})
afterEach(async () => {
  restoreClock()
  restoreClock = noClock
  await app.close()
})

/** The token that a request with the key has, as the relay looks it up. */
async function tokenOf(presented: string): Promise<number | undefined> {
  const lookup = createCallerLookup({ db: app.db, log: noopLogger, secrets: app.secrets })
  const text = `sk-${presented}`
  const row = (await lookup.find(presented)) ?? (await lookup.findOther({ key: presented, text }))
  return row?.id
}
const rotate = async (overlap_hours?: number) =>
  (
    await user.call(rotateToken, {
      params: { id },
      body: { ...(overlap_hours !== undefined && { overlap_hours }) },
    })
  ).data
const after = (hours: number) => {
  restoreClock()
  const now = Date.now()
  restoreClock = setClock({ nowMs: () => now + hours * HOUR_MS, elapsedMs: () => 0 })
}

describe('a rotated token', () => {
  test('has two valid keys for the overlap, and one afterwards', async () => {
    const rotated = await rotate(2)
    expect(rotated).toMatchObject({ id, name: 'prod' })
    expect(rotated.key).not.toBe(key)
    expect([await tokenOf(key), await tokenOf(rotated.key)]).toEqual([id, id])
    after(1.9)
    expect(await tokenOf(key)).toBe(id)
    after(2.1)
    expect([await tokenOf(key), await tokenOf(rotated.key)]).toEqual([undefined, id])
  })

  test('has one valid key at once without an overlap', async () => {
    const rotated = await rotate(0)
    expect([await tokenOf(key), await tokenOf(rotated.key)]).toEqual([undefined, id])
  })

  test('keeps two keys when it is rotated again: the oldest one ends', async () => {
    const second = (await rotate()).key
    const third = (await rotate()).key
    expect([await tokenOf(key), await tokenOf(second), await tokenOf(third)]).toEqual([undefined, id, id])
    const last = (await rotate(0)).key
    expect([await tokenOf(second), await tokenOf(third), await tokenOf(last)]).toEqual([
      undefined,
      undefined,
      id,
    ])
  })

  test('has two keys after two calls at once', async () => {
    const rotated = await Promise.all([rotate(), rotate()])
    const keys = new Set([key, ...rotated.map(reply => reply.key)])
    expect(await Promise.all([...keys].map(tokenOf))).toContain(id)
    expect(await tokenOf(rotated.at(-1)?.key ?? '')).toBe(id)
  })

  test('stops both keys when it is disabled or deleted, and both are found when they leak', async () => {
    await rotate()
    expect((await app.root.call(findTokenByKey, { body: { key } })).data.id).toBe(id)
    await user.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 2 } })
    expect(
      (await app.db.selectFrom('tokens').select('status').where('id', '=', id).executeTakeFirst())?.status,
    ).toBe(2)
    await user.call(deleteToken, { params: { id } })
    expect(await tokenOf(key)).toBeUndefined()
    expect((await app.root.call(findTokenByKey, { body: { key } })).code).toBe('token.key_not_found')
  })

  test.each([-1, 721, 1.5])('cannot overlap for %p hours', async overlap_hours => {
    const reply = await user.call(rotateToken, { params: { id }, body: { overlap_hours } })
    expect(reply.success).toBe(false)
    expect(await tokenOf(key)).toBe(id)
  })

  test('is not that of somebody else', async () => {
    const other = await app.addUser({ username: 'ben' })
    expect((await other.call(rotateToken, { params: { id }, body: {} })).code).toBe('token.unknown')
    expect(await tokenOf(key)).toBe(id)
  })
})
