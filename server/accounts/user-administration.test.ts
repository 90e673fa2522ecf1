import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  deleteSelf,
  getSelf,
  getUser,
  resetAccessToken,
  resetAccessTokenByPost,
} from '#contract/entities/user.ts'
import { listSelfLogs } from '#features/logs/contract/logs.ts'
import { withResponseTables } from '#features/stored-responses/server/tables.ts'
import {
  createUser,
  DEREGISTERED,
  deleteUser,
  listUsers,
  manageUser,
  searchUsers,
  type UserAction,
  updateUser,
} from '#features/users/contract.ts'
import { setClock } from '../core/clock.ts'
import { auditLedger } from '../ledger/audit.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'

let app: TestApp
let anna: TestClient
let admin: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 700 })
  admin = await app.addUser({ username: 'admin', role: 'admin' })
})
afterEach(() => app.close())

const manage = (client: TestClient, id: number, action: UserAction) =>
  client.call(manageUser, { body: { id, action } })
const namesIn = ({ items }: { items: readonly { username: string }[] }) => items.map(user => user.username)
const adjustments = () => app.db.selectFrom('postings').selectAll().where('kind', '=', 'adjustment').execute()
const option = async (key: string, value: string) => {
  await app.root.fetch('/api/option/', { method: 'PUT', body: JSON.stringify({ key, value }) })
}

describe('200', () => {
  test('lists lower users and the caller for administrators, and everybody for root, newest first', async () => {
    await app.addUser({ username: 'peer', role: 'admin' })
    expect(namesIn((await admin.call(listUsers)).data)).toEqual(['admin', 'anna'])
    expect((await app.root.call(listUsers)).data).toMatchObject({ total: 4, page: 1, page_size: 10 })
    const second = await app.root.call(listUsers, { query: { p: 2, page_size: 2 } })
    expect(namesIn(second.data)).toEqual(['anna', 'root'])
  })

  test.each(['{', '[]', 'null', '{"notify_type":7,"webhook_url":5}'])(
    'lists a user whose settings cannot be read, and shows them their account: %s',
    async setting => {
      await app.db.updateTable('users').set({ setting }).where('id', '=', anna.id).execute()
      expect(namesIn((await admin.call(listUsers)).data)).toEqual(['admin', 'anna'])
      expect((await anna.call(getSelf)).data).toMatchObject({ username: 'anna' })
    },
  )

  test('searches by id, part of a name or address, and group', async () => {
    const bert = await app.addUser({ username: 'bert', group: 'vip' })
    await app.db.updateTable('users').set({ email: 'B@Example.org' }).where('id', '=', bert.id).execute()
    const found = async (query: object) =>
      namesIn((await app.root.call(searchUsers, { query: { ...query } })).data)
    expect(await found({ keyword: 'NN' })).toEqual(['anna'])
    expect(await found({ keyword: 'example' })).toEqual(['bert'])
    expect(await found({ keyword: String(bert.id) })).toEqual(['bert'])
    expect(await found({ group: 'vip' })).toEqual(['bert'])
    expect(await found({ keyword: 'anna', group: 'vip' })).toEqual([])
    expect(await found({ keyword: '%' })).toEqual([])
  })

  test('filters by role and status, with deregistered users apart, and sorts by balance', async () => {
    const bert = await app.addUser({ username: 'bert', quota: 900 })
    const carl = await app.addUser({ username: 'carl' })
    await manage(admin, bert.id, 'disable')
    await manage(admin, carl.id, 'delete')
    const found = async (query: object) =>
      namesIn((await app.root.call(listUsers, { query: { ...query } })).data)
    expect(await found({ role: 10 })).toEqual(['admin'])
    expect(await found({ status: 2 })).toEqual(['bert'])
    expect(await found({ status: DEREGISTERED })).toEqual(['carl'])
    expect(await found({ status: 1, role: 1 })).toEqual(['anna'])
    expect((await found({ sort: '-quota', role: 1 })).slice(0, 2)).toEqual(['bert', 'anna'])
    expect((await found({ sort: 'quota', role: 1 })).at(-1)).toBe('bert')
  })

  test('creates a user with role 1, the default group and the quota for new users', async () => {
    await option('QuotaForNewUser', '300')
    const { data } = await admin.call(createUser, {
      body: { username: ' carl ', password: 'a good password', role: 1 },
    })
    expect(data).toMatchObject({
      username: 'carl',
      display_name: 'carl',
      role: 1,
      group: 'default',
      quota: 300,
    })
    expect(data.aff_code).toMatch(/^[A-Za-z0-9]{8,}$/)
    const carl = await app.visitor.signIn({ id: data.id, username: 'carl', password: 'a good password' })
    const logs = (await carl.call(listSelfLogs)).data.items
    expect(logs).toMatchObject([{ type: 4, quota: 300 }])
  })

  test('updates only the fields sent', async () => {
    await admin.call(updateUser, { body: { id: anna.id, display_name: 'Anna', group: 'vip' } })
    const { data } = await admin.call(getUser, { params: { id: anna.id } })
    expect(data).toMatchObject({ username: 'anna', display_name: 'Anna', group: 'vip', quota: 700 })
    expect(await adjustments()).toEqual([])
  })

  test('posts a new quota as an adjustment with its reason and logs it', async () => {
    await admin.call(updateUser, { body: { id: anna.id, quota: 1000, reason: 'a gift' } })
    await admin.call(updateUser, { body: { id: anna.id, quota: 400 } })
    expect((await anna.call(getSelf)).data.quota).toBe(400)
    expect(await adjustments()).toMatchObject([
      { from_account: 'issued', to_account: 'wallet', amount: 300, actor_id: admin.id, reason: 'a gift' },
      { from_account: 'wallet', to_account: 'issued', amount: 600, actor_id: admin.id },
    ])
    const logs = (await anna.call(listSelfLogs)).data.items
    expect(logs).toMatchObject([
      { type: 3, quota: -600, content: expect.stringMatching(/[\d.]$/) },
      { type: 3, quota: 300, content: expect.stringContaining('a gift') },
    ])
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('keeps the spending since the balance was read', async () => {
    await admin.call(updateUser, { body: { id: anna.id, quota: 1500, quota_seen: 1000 } })
    expect((await anna.call(getSelf)).data.quota).toBe(1200)
    await admin.call(updateUser, { body: { id: anna.id, quota: 900, quota_seen: 900 } })
    expect((await anna.call(getSelf)).data.quota).toBe(1200)
  })

  test('rejects amounts and balances beyond two billion dollars in words', async () => {
    const limit = 1_000_000_000_000_000
    for (const quota_seen of [2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER, limit + 1])
      expect((await admin.call(updateUser, { body: { id: anna.id, quota: limit, quota_seen } })).code).toBe(
        'invalid_parameter',
      )
    const body = { id: anna.id, quota: limit, quota_seen: -limit }
    expect((await admin.call(updateUser, { body })).code).toBe('ledger.balance_too_large')
    expect((await admin.call(updateUser, { body: { id: anna.id, quota: limit } })).success).toBe(true)
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('accepts a negative balance only when it is sent back unchanged', async () => {
    await app.db.updateTable('users').set({ quota: -50 }).where('id', '=', anna.id).execute()
    const stands = (await admin.call(getUser, { params: { id: anna.id } })).data
    const { data } = await admin.call(updateUser, { body: { ...stands, password: '', group: 'vip' } })
    expect(data).toMatchObject({ group: 'vip', quota: -50 })
    for (const quota of [-51, -49])
      expect((await admin.call(updateUser, { body: { id: anna.id, quota } })).code).toBe(
        'user.negative_quota',
      )
    expect(await adjustments()).toEqual([])
  })

  test('ends the sessions of a user whose password an administrator sets', async () => {
    await admin.call(updateUser, { body: { id: anna.id, password: 'another one' } })
    expect((await anna.call(getSelf)).status).toBe(401)
    await anna.signIn({ id: anna.id, username: 'anna', password: 'another one' })
  })

  test('lets root promote and demote and returns role and status', async () => {
    const promoted = await manage(app.root, anna.id, 'promote')
    expect(promoted.data).toEqual({ id: anna.id, role: 10, status: 1, DeletedAt: null })
    expect((await anna.call(listUsers)).success).toBe(true)
    expect((await manage(app.root, anna.id, 'demote')).data.role).toBe(1)
    expect((await anna.call(listUsers)).status).toBe(401)
  })

  test('ends sessions at once with a ban and allows sign-in again after enabling', async () => {
    expect((await manage(admin, anna.id, 'disable')).data.status).toBe(2)
    expect((await anna.call(getSelf)).status).toBe(401)
    expect((await manage(admin, anna.id, 'enable')).data.status).toBe(1)
    await anna.signIn({ id: anna.id, username: 'anna', password: 'a good password' })
  })

  test('signs out a deregistered user, who stays listed and keeps the name', async () => {
    const { data } = await manage(admin, anna.id, 'delete')
    expect(data.DeletedAt).toMatch(/^\d{4}-/)
    expect((await anna.call(getSelf)).status).toBe(401)
    const { items } = (await admin.call(searchUsers, { query: { keyword: 'anna' } })).data
    expect(items[0]?.DeletedAt).toBe(data.DeletedAt)
    const again = await admin.call(createUser, { body: { username: 'anna', password: 'a good password' } })
    expect(again.code).toBe('user.name_taken')
  })

  test('deregisters with the delete endpoint like with the action', async () => {
    expect((await admin.call(deleteUser, { params: { id: anna.id } })).success).toBe(true)
    expect((await manage(admin, anna.id, 'enable')).code).toBe('user.deregistered')
  })

  test.each(['by an administrator', 'by the user'])('deletes the stored data of a user, %s', async by => {
    const owner = { user_id: anna.id, is_private: 0 }
    const size = { bytes: 1, item_count: 1 }
    const times = { used_at: 1, expires_at: 2_000_000_000 }
    await withResponseTables(app.db)
      .insertInto('stored_responses')
      .values({ id: 'resp_1', ...owner, input_encrypted: '', bytes: 1, ...times })
      .execute()
    await withResponseTables(app.db)
      .insertInto('conversations')
      .values({ id: 'conv_1', ...owner, metadata_encrypted: '', created_at: 1, ...size, ...times })
      .execute()
    const item = { conversation_id: 'conv_1', position: '1', item_id: 'i', item_encrypted: '' }
    await withResponseTables(app.db).insertInto('conversation_items').values(item).execute()
    if (by === 'by the user') await anna.call(deleteSelf, { body: { username: 'anna' } })
    else await manage(admin, anna.id, 'delete')
    for (const table of ['stored_responses', 'conversations', 'conversation_items'] as const)
      expect(await withResponseTables(app.db).selectFrom(table).selectAll().execute()).toEqual([])
  })

  test('lets users deregister themselves and signs them out', async () => {
    expect((await anna.call(deleteSelf, { body: { username: 'anna' } })).success).toBe(true)
    expect((await anna.call(getSelf)).status).toBe(401)
  })

  test('shows an access token once and replaces it with the next one', async () => {
    const { data: first } = await anna.call(resetAccessToken)
    const { data: second } = await anna.call(resetAccessTokenByPost)
    const call = (token: string) =>
      app.visitor.call(getSelf, { headers: { authorization: token, 'new-api-user': String(anna.id) } })
    expect((await call(first)).code).toBe('auth.invalid_access_token')
    expect((await call(second)).data).toMatchObject({ username: 'anna', access_token: null })
    expect(JSON.stringify(await app.db.selectFrom('users').selectAll().execute())).not.toContain(second)
  })
})

describe('errors', () => {
  test('rejects updating and managing users of the same or a higher rank', async () => {
    const peer = await app.addUser({ username: 'peer', role: 'admin' })
    for (const id of [peer.id, app.root.id]) {
      expect((await admin.call(updateUser, { body: { id, quota: 5 } })).code).toBe('user.no_permission')
      for (const action of ['disable', 'enable', 'delete', 'demote'] as const)
        expect((await manage(admin, id, action)).code).toBe('user.no_permission')
    }
  })

  test("allows only root to promote and rejects roles not below the caller's", async () => {
    expect((await manage(admin, anna.id, 'promote')).code).toBe('user.only_root_promotes')
    const body = { username: 'carl', password: 'a good password', role: 10 }
    expect((await admin.call(createUser, { body })).code).toBe('user.role_too_high')
    expect((await admin.call(updateUser, { body: { id: anna.id, role: 10 } })).code).toBe(
      'user.role_too_high',
    )
  })

  test('requires a recent sign-in of a super administrator for the own name and password', async () => {
    const restore = setClock({ nowMs: () => Date.now() + 11 * 60_000, elapsedMs: () => 0 })
    try {
      const update = (fields: object) => app.root.call(updateUser, { body: { id: app.root.id, ...fields } })
      for (const fields of [{ username: 'root2' }, { password: 'another one' }])
        expect(await update(fields)).toMatchObject({ status: 403, code: 'auth.recent_sign_in_required' })
      expect((await update({ display_name: 'Root' })).success).toBe(true)
    } finally {
      restore()
    }
  })

  test('rejects demoting, disabling, deleting and deregistering super administrators', async () => {
    for (const action of ['demote', 'disable', 'delete'] as const)
      expect((await manage(app.root, app.root.id, action)).code).toBe('user.root_stays')
    expect((await app.root.call(deleteSelf)).code).toBe('user.root_stays')
  })

  test('rejects promoting or demoting to the current role', async () => {
    expect((await manage(app.root, admin.id, 'promote')).code).toBe('user.already_admin')
    expect((await manage(app.root, anna.id, 'demote')).code).toBe('user.already_user')
  })

  test('rejects enabling a user of unknown status and unknown actions', async () => {
    await app.db.updateTable('users').set({ status: 3 }).where('id', '=', anna.id).execute()
    expect((await manage(admin, anna.id, 'enable')).code).toBe('user.not_to_enable')
    const body = { id: anna.id, action: 'crown' }
    expect((await admin.call(manageUser, { body })).code).toBe('invalid_parameter')
  })

  test('requires a name and a password of 8 to 20 characters', async () => {
    for (const body of [
      { username: '', password: 'a good password' },
      { username: 'carl', password: '' },
      { username: 'carl', password: 'short' },
      { username: 'carl', password: 'x'.repeat(21) },
      { username: 'x'.repeat(13), password: 'a good password' },
      { username: 'carl', password: 'a good password', display_name: 'x'.repeat(21) },
    ])
      expect((await admin.call(createUser, { body })).code).toBe('invalid_parameter')
  })

  test('requires an integer quota that takes no more than the balance', async () => {
    for (const quota of [1.5, '5', 2e15])
      expect((await admin.call(updateUser, { body: { id: anna.id, quota } })).code).toBe('invalid_parameter')
    const taken = await admin.call(updateUser, { body: { id: anna.id, quota: 0, quota_seen: 800 } })
    expect(taken.code).toBe('ledger.wallet_too_small')
    expect((await anna.call(getSelf)).data.quota).toBe(700)
  })

  test('rejects taken names, unknown groups and short passwords', async () => {
    const edit = async (change: object) =>
      (await admin.call(updateUser, { body: { id: anna.id, ...change } })).code
    expect(await edit({ username: 'root' })).toBe('user.name_taken')
    expect(await edit({ group: 'nowhere' })).toBe('user.unknown_group')
    expect(await edit({ password: 'short' })).toBe('invalid_parameter')
  })

  test("rejects deregistering with another user's name", async () => {
    expect((await anna.call(deleteSelf, { body: { username: 'ann' } })).code).toBe('user.wrong_name')
    expect((await anna.call(getSelf)).success).toBe(true)
  })

  test('rejects updating deregistered and unknown users', async () => {
    await manage(admin, anna.id, 'delete')
    for (const id of [anna.id, 9999])
      expect((await admin.call(updateUser, { body: { id, quota: 5 } })).code).toBe('user.unknown')
  })
})
