import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { login } from '#contract/accounts/session.ts'
import { getSelf, getUser, updateSelf } from '#contract/entities/user.ts'
import { setClock } from '../core/clock.ts'
import { ACCESS_TOKEN_PURPOSE } from '../core/crypto.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 700 })
})
afterEach(() => app.close())

const secondSession = () => app.visitor.signIn({ id: anna.id, username: 'anna', password: 'a good password' })

describe('200', () => {
  test("returns the caller's account without secrets", async () => {
    const setting = JSON.stringify({ notify_type: 'webhook', webhook_secret: 'hush' })
    await app.db
      .updateTable('users')
      .set({ access_token_hash: 'h', setting })
      .where('id', '=', anna.id)
      .execute()
    const { data } = await anna.call(getSelf)
    expect(data).toMatchObject({
      id: anna.id,
      username: 'anna',
      quota: 700,
      role: 1,
      password: '',
      access_token: null,
    })
    expect(JSON.parse(data.setting)).toEqual({ notify_type: 'webhook' })
  })

  test('authenticates by access token when the user header matches', async () => {
    const access_token_hash = app.secrets.hash(ACCESS_TOKEN_PURPOSE, 'a+b/c=')
    await app.db.updateTable('users').set({ access_token_hash }).where('id', '=', anna.id).execute()
    const withToken = (authorization: string, id = anna.id) =>
      app.visitor.call(getSelf, { headers: { authorization, 'new-api-user': String(id) } })
    expect((await withToken('Bearer a+b/c=')).data.username).toBe('anna')
    expect((await withToken('a+b/c=')).data.username).toBe('anna')
    expect((await withToken('a+b/c=', app.root.id)).status).toBe(401)
    expect(await withToken('wrong')).toMatchObject({ status: 200, code: 'auth.invalid_access_token' })
  })

  test('ends all sessions and the required change with a new password', async () => {
    await app.db.updateTable('users').set({ must_change_password: 1 }).where('id', '=', anna.id).execute()
    const other = await secondSession()
    expect((await anna.call(getSelf)).data.must_change_password).toBe(true)
    expect((await anna.call(updateSelf, { body: { password: 'another one' } })).success).toBe(true)
    for (const former of [anna, other]) expect((await former.call(getSelf)).status).toBe(401)
    const again = await app.visitor.call(login, { body: { username: 'anna', password: 'another one' } })
    expect(again.data.must_change_password).toBe(false)
  })

  test('leaves empty fields unchanged', async () => {
    await anna.call(updateSelf, { body: { username: '', display_name: 'Anna', password: '' } })
    expect((await anna.call(getSelf)).data).toMatchObject({ username: 'anna', display_name: 'Anna' })
  })

  test('returns users of lower rank and the caller to administrators', async () => {
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    expect((await admin.call(getUser, { params: { id: anna.id } })).data.quota).toBe(700)
    expect((await admin.call(getUser, { params: { id: admin.id } })).success).toBe(true)
    expect((await app.root.call(getUser, { params: { id: admin.id } })).success).toBe(true)
  })
})

describe('errors', () => {
  test('hides users of the same or a higher rank from administrators', async () => {
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    const peer = await app.addUser({ username: 'peer', role: 'admin' })
    for (const id of [peer.id, app.root.id])
      expect((await admin.call(getUser, { params: { id } })).code).toBe('user.no_permission')
  })

  test('reports deregistered and unknown users as unknown', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).where('id', '=', anna.id).execute()
    for (const id of [anna.id, 999])
      expect((await app.root.call(getUser, { params: { id } })).code).toBe('user.unknown')
  })

  test('requires passwords of 8 to 20 characters and names of 1 to 12 without spaces', async () => {
    for (const body of [
      { password: 'short' },
      { password: 'x'.repeat(21) },
      { username: 'a b' },
      { username: 'x'.repeat(13) },
    ])
      expect((await anna.call(updateSelf, { body })).code).toBe('invalid_parameter')
  })

  test('rejects a taken name, even of a deregistered user', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).where('id', '=', app.root.id).execute()
    expect((await anna.call(updateSelf, { body: { username: 'root' } })).code).toBe('user.name_taken')
  })

  test('checks only ten of twenty guesses at the current password', async () => {
    const body = { password: 'another one', original_password: 'not it' }
    const guesses = Array.from({ length: 20 }, () => anna.call(updateSelf, { body }))
    const codes = (await Promise.all(guesses)).map(({ code }) => code)
    expect(codes.filter(code => code === 'user.wrong_password')).toHaveLength(10)
    expect(codes.filter(code => code === 'auth.too_often')).toHaveLength(10)
  })

  test('requires the current password after a while', async () => {
    const restore = setClock({ nowMs: () => Date.now() + 16 * 60_000, elapsedMs: () => 0 })
    try {
      const change = (original_password?: string) =>
        anna.call(updateSelf, {
          body: { password: 'another one', ...(original_password && { original_password }) },
        })
      expect((await change()).code).toBe('user.confirm_password')
      expect((await change('not it')).code).toBe('user.wrong_password')
      expect((await change('a good password')).success).toBe(true)
    } finally {
      restore()
    }
  })

  test('requires a recent sign-in of an account without a password', async () => {
    await app.db.updateTable('users').set({ password_hash: '' }).where('id', '=', anna.id).execute()
    const change = () => anna.call(updateSelf, { body: { username: 'anna2' } })
    const restore = setClock({ nowMs: () => Date.now() + 11 * 60_000, elapsedMs: () => 0 })
    try {
      expect(await change()).toMatchObject({ status: 403, code: 'auth.recent_sign_in_required' })
    } finally {
      restore()
    }
    expect((await change()).success).toBe(true)
  })
})
