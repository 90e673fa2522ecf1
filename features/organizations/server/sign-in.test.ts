import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { login } from '#contract/accounts/session.ts'
import { getSelf } from '#contract/entities/user.ts'
import { manageUser, updateUser } from '#features/users/contract.ts'
import { ACCESS_TOKEN_PURPOSE, SESSION_PURPOSE } from '#server/core/crypto.ts'
import { findUsableSessions, insertSession } from '#server/db/accounts/sessions.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient } from '#server/testing/test-client.ts'
import { allowOrganizations, openOrganization } from './testing/organization.ts'

const SECRET = 'x'.repeat(48)
const FAR = 4_000_000_000

let app: TestApp
let id: number
beforeEach(async () => {
  app = await openTestApp()
  await allowOrganizations(app)
  const organization = await openOrganization(app, await app.addUser({ username: 'ann' }))
  id = organization.id
})
afterEach(() => app.close())

const asSession = () => createTestClient(app.app, { id, cookie: `session=${SECRET}` }).call(getSelf)
const asAccessToken = () =>
  app.visitor.call(getSelf, { headers: { authorization: `Bearer ${SECRET}`, 'new-api-user': String(id) } })

/** Every way to sign in ends in one of these: a session, or a token of the management API. */
describe('nobody is signed in to an organisation', () => {
  test('by a session, whoever has made it', async () => {
    const id_hash = app.secrets.hash(SESSION_PURPOSE, SECRET)
    await insertSession(app.db, {
      id_hash,
      user_id: id,
      created_at: 1,
      expires_at: FAR,
      authenticated_at: FAR,
    })
    expect((await asSession()).code).toBe('auth.not_signed_in')
    expect((await findUsableSessions(app.db, [id_hash])).size).toBe(0)
  })

  test('by an access token with a name', async () => {
    const id_hash = app.secrets.hash(ACCESS_TOKEN_PURPOSE, SECRET)
    await insertSession(app.db, {
      id_hash,
      user_id: id,
      created_at: 1,
      expires_at: FAR,
      scopes: '*:write',
      name: 'ci',
    })
    expect((await asAccessToken()).code).toBe('auth.invalid_access_token')
  })

  test('by the access token of an account', async () => {
    const access_token_hash = app.secrets.hash(ACCESS_TOKEN_PURPOSE, SECRET)
    await app.db.updateTable('users').set({ access_token_hash }).where('id', '=', id).execute()
    expect((await asAccessToken()).code).toBe('auth.invalid_access_token')
    expect((await findUsableSessions(app.db, [access_token_hash])).size).toBe(0)
  })

  test('by a password, not even one in its row', async () => {
    const ann = await app.db
      .selectFrom('users')
      .selectAll()
      .where('username', '=', 'ann')
      .executeTakeFirstOrThrow()
    const { password_hash } = ann
    await app.db
      .updateTable('users')
      .set({ password_hash, email: 'acme@example.com' })
      .where('id', '=', id)
      .execute()
    for (const username of ['acme', 'acme@example.com']) {
      const response = await app.visitor.call(login, { body: { username, password: 'a good password' } })
      expect(response.success).toBe(false)
    }
  })

  test('by a password that an administrator sets, and it becomes no administrator', async () => {
    const password = 'a good password'
    expect((await app.root.call(updateUser, { body: { id, password } })).code).toBe('user.is_organization')
    const body = { id, action: 'promote' } as const
    expect((await app.root.call(manageUser, { body })).code).toBe('user.is_organization')
    expect(
      (await app.root.call(updateUser, { body: { id, group: 'default', quota: 9 } })).data,
    ).toMatchObject({
      kind: 'organization',
      quota: 9,
    })
  })

  test('by what it has: no password, address, identity or token', async () => {
    const row = await app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      kind: 'organization',
      password_hash: '',
      email: '',
      access_token_hash: null,
      github_id: '',
      linux_do_id: '',
      wechat_id: '',
      telegram_id: '',
    })
  })
})
