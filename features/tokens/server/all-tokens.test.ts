import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createToken, deleteToken, getToken } from '#contract/entities/token.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { findTokenByKey, listAllTokens, updateAllTokensStatus } from '../contract/all-tokens.ts'

let app: TestApp
let admin: TestClient
let user: TestClient
beforeAll(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
  user = await app.addUser({ username: 'anna' })
})
afterAll(() => app.close())

const make = async (owner: TestClient, name: string) =>
  (await owner.call(createToken, { body: { name, unlimited_quota: true } })).data

const query = (more: object = {}) => ({ query: { p: 1, page_size: 100, keyword: '', status: 0, ...more } })
const names = async (client: TestClient, more?: object) =>
  (await client.call(listAllTokens, query(more))).data.items.map(({ name }) => name)

describe('a leaked key', () => {
  test.each([
    ['alone', (key: string) => key],
    ['with its prefix', (key: string) => `sk-${key}`],
    ['as a header', (key: string) => `Bearer sk-${key}`],
    ['with a channel', (key: string) => `sk-${key}-12`],
    ['among blanks', (key: string) => `  sk-${key}\n`],
  ])('is found %s, with its owner and without the key', async (_, present) => {
    const { id, key } = await make(user, 'leaked')
    const { data } = await admin.call(findTokenByKey, { body: { key: present(key) } })
    expect(data).toMatchObject({ id, name: 'leaked', username: 'anna', user_id: user.id, status: 1 })
    expect(JSON.stringify(data)).not.toContain(key.slice(4, -4))
  })

  test('is stopped by an administrator, and stays stopped for its owner to see', async () => {
    const { id } = await make(user, 'leaked')
    const { data } = await admin.call(updateAllTokensStatus, { body: { ids: [id], status: 2 } })
    expect(data).toMatchObject([{ id, success: true }])
    expect((await user.call(getToken, { params: { id } })).data.status).toBe(2)
  })

  test('is neither in the audit log nor in a later list', async () => {
    const { key } = await make(user, 'leaked')
    await admin.call(findTokenByKey, { body: { key } })
    const rows = await app.db
      .selectFrom('audit_log' as never)
      .selectAll()
      .execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(key.slice(8, 40))
    expect(JSON.stringify(await admin.call(listAllTokens, query()))).not.toContain(key.slice(8, 40))
  })

  test.each(['', 'sk-', 'sk-unknown', 'x'.repeat(600)])('that is none is rejected: %p', async key => {
    expect(await admin.call(findTokenByKey, { body: { key } })).toMatchObject({ success: false })
  })

  test('of a deleted token is not found', async () => {
    const { id, key } = await make(user, 'gone')
    await user.call(deleteToken, { params: { id } })
    expect((await admin.call(findTokenByKey, { body: { key } })).code).toBe('token.key_not_found')
  })

  test('of a super administrator is not for administrators to see or stop, but said to be known', async () => {
    const { id, key } = await make(app.root, 'of root')
    expect((await admin.call(findTokenByKey, { body: { key } })).code).toBe('user.no_permission')
    const { data } = await admin.call(updateAllTokensStatus, { body: { ids: [id], status: 2 } })
    expect(data).toMatchObject([{ success: false, code: 'user.no_permission' }])
    expect((await app.root.call(findTokenByKey, { body: { key } })).data.id).toBe(id)
  })
})

describe('the list of all tokens', () => {
  test('has those of users of a lower role and the own ones', async () => {
    await make(user, 'of anna')
    await make(admin, 'of admin')
    await make(app.root, 'of the root')
    const listed = await names(admin)
    expect(listed).toContain('of anna')
    expect(listed).toContain('of admin')
    expect(listed).not.toContain('of the root')
    expect(await names(app.root)).toContain('of the root')
  })

  test('is filtered by token, by owner and by status', async () => {
    const { id } = await make(user, 'sought')
    expect(await names(admin, { keyword: 'sough' })).toEqual(['sought'])
    expect(await names(admin, { keyword: 'ann' })).toContain('sought')
    expect(await names(admin, { keyword: String(user.id) })).toContain('sought')
    await admin.call(updateAllTokensStatus, { body: { ids: [id], status: 2 } })
    expect(await names(admin, { keyword: 'sought', status: 2 })).toEqual(['sought'])
    expect(await names(admin, { keyword: 'sought', status: 1 })).toEqual([])
    expect(await names(admin, { keyword: '%' })).toEqual([])
  })

  test('does not enable a token that has expired', async () => {
    const { id } = await make(user, 'expired')
    await app.db.updateTable('tokens').set({ expired_time: 1, status: 2 }).where('id', '=', id).execute()
    const { data } = await admin.call(updateAllTokensStatus, { body: { ids: [id], status: 1 } })
    expect(data).toMatchObject([{ success: false, code: 'token.expired' }])
  })
})
