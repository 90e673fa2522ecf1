import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf, resetAccessTokenByPost } from '#contract/entities/user.ts'
import { manageUser } from '#features/users/contract.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { endSession, endSessions, listSessions } from '../contract.ts'

const PASSWORD = 'a good password'

let app: TestApp
let ann: TestClient
beforeEach(async () => {
  app = await openTestApp()
  ann = await app.addUser({ username: 'ann' })
})
afterEach(() => app.close())

/** Signs in with another browser. */
async function signInWith(device: string): Promise<Record<string, string>> {
  const response = await app.visitor.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'user-agent': device },
    body: JSON.stringify({ username: 'ann', password: PASSWORD }),
  })
  const cookie = response.headers.getSetCookie().find(text => text.startsWith('session='))
  return { cookie: cookie?.split(';')[0] ?? '', 'new-api-user': String(ann.id) }
}

const statusOf = async (headers: Record<string, string>) =>
  (await app.visitor.fetch('/api/user/self', { headers })).status
const params = () => ({ id: ann.id })

describe('the list of sessions', () => {
  test('has device, address and last use of each, and says which is the own one', async () => {
    const phone = await signInWith('Phone')
    const { data } = await ann.call(listSessions, { params: params() })
    expect(data.map(({ device, is_current }) => ({ device, is_current }))).toContainEqual({
      device: 'Phone',
      is_current: false,
    })
    expect(data.filter(session => session.is_current)).toHaveLength(1)
    expect(data.every(session => session.used_time > 0 && session.address !== '')).toBe(true)
    expect(JSON.stringify(data)).not.toContain(phone.cookie?.slice('session='.length) ?? '')
  })

  test('the last use is stored once a minute', async () => {
    await app.db.updateTable('sessions').set({ used_at: 5, address: '' }).execute()
    const [own] = (await ann.call(listSessions, { params: params() })).data
    expect(own?.address).not.toBe('')
    expect(own?.used_time).toBeGreaterThan(5)
    const used_at = (own?.used_time ?? 0) - 30
    await app.db.updateTable('sessions').set({ used_at }).execute()
    expect((await ann.call(listSessions, { params: params() })).data[0]?.used_time).toBe(used_at)
  })

  test('long names of browsers are cut', async () => {
    await signInWith('x'.repeat(5_000))
    const { data } = await ann.call(listSessions, { params: params() })
    expect(Math.max(...data.map(({ device }) => device.length))).toBe(255)
  })
})

describe('ending sessions', () => {
  test('one ends, and the others go on', async () => {
    const [phone, tablet] = [await signInWith('Phone'), await signInWith('Tablet')]
    const { data } = await ann.call(listSessions, { params: params() })
    const session = data.find(({ device }) => device === 'Phone')?.id ?? ''
    expect((await ann.call(endSession, { params: { ...params(), session } })).success).toBe(true)
    expect([await statusOf(phone), await statusOf(tablet)]).toEqual([401, 200])
    expect((await ann.call(endSession, { params: { ...params(), session } })).code).toBe('sessions.ended')
  })

  test('all others end', async () => {
    const [phone, tablet] = [await signInWith('Phone'), await signInWith('Tablet')]
    await ann.call(endSessions, { params: params() })
    expect([await statusOf(phone), await statusOf(tablet)]).toEqual([401, 401])
    expect((await ann.call(getSelf)).success).toBe(true)
  })

  test('administrators see and end those of users below them', async () => {
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    expect((await admin.call(listSessions, { params: params() })).data.length).toBeGreaterThan(0)
    await admin.call(endSessions, { params: params() })
    expect((await ann.call(getSelf)).status).toBe(401)
    expect((await admin.call(getSelf)).success).toBe(true)
  })

  test.each([
    { whose: 'another user', role: 'user' },
    { whose: 'another administrator', role: 'admin' },
    { whose: 'the super administrator', role: 'root' },
  ] as const)('nobody reaches those of $whose', async ({ role }) => {
    const own = await app.addUser({ username: 'caller', role: role === 'user' ? 'user' : 'admin' })
    const id = role === 'root' ? app.root.id : (await app.addUser({ username: 'other', role })).id
    expect((await own.call(listSessions, { params: { id } })).code).toBe('user.no_permission')
    expect((await own.call(endSessions, { params: { id } })).code).toBe('user.no_permission')
    const row = await app.db
      .selectFrom('sessions')
      .select('id_hash')
      .where('user_id', '=', id)
      .executeTakeFirst()
    const session = row?.id_hash.slice(0, 16) ?? ''
    expect((await own.call(endSession, { params: { id, session } })).code).toBe('user.no_permission')
    // Nor with the id of a session under the caller's own number.
    expect((await own.call(endSession, { params: { id: own.id, session } })).code).toBe('sessions.ended')
    const count = await app.db.selectFrom('sessions').select('id_hash').where('user_id', '=', id).execute()
    expect(count).toHaveLength(1)
  })
})

test.each(['demote', 'disable', 'delete'] as const)('%s ends sessions and access token', async action => {
  await app.db.updateTable('users').set({ role: 10 }).where('id', '=', ann.id).execute()
  const { data: token } = await ann.call(resetAccessTokenByPost)
  const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(ann.id) }
  expect(await statusOf(headers)).toBe(200)
  expect((await app.root.call(manageUser, { body: { id: ann.id, action } })).success).toBe(true)
  expect((await ann.call(getSelf)).status).toBe(401)
  const response = await app.visitor.fetch('/api/user/self', { headers })
  expect(await response.json()).toMatchObject({ success: false })
})
