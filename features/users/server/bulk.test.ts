import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '#server/ledger/audit.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { updateMatchingUsers, updateUsersBatch } from '../contract.ts'

const FILTER = { keyword: '', group: '', role: 0, status: 0 }

let app: TestApp
let admin: TestClient
let people: readonly TestClient[]
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin', quota: 10 })
  people = [
    await app.addUser({ username: 'ann', quota: 1000 }),
    await app.addUser({ username: 'ben', quota: 1000 }),
    await app.addUser({ username: 'cleo', quota: 10, group: 'vip' }),
  ]
})
afterEach(() => app.close())

const ids = () => people.map(({ id }) => id)
const stored = async (column: 'group' | 'status' | 'quota') =>
  (
    await app.db.selectFrom('users').select(['id', column]).where('id', 'in', ids()).orderBy('id').execute()
  ).map(row => row[column])

describe('several users', () => {
  test('move to another group', async () => {
    const { data } = await admin.call(updateUsersBatch, { body: { ids: ids(), change: { group: 'vip' } } })
    expect(data.map(({ success }) => success)).toEqual([true, true, true])
    expect(await stored('group')).toEqual(['vip', 'vip', 'vip'])
  })

  test('get quota with a reason, and none goes below zero', async () => {
    const change = { add_quota: -500, reason: 'mistaken gift' }
    const { data } = await admin.call(updateUsersBatch, { body: { ids: ids(), change } })
    expect(data.map(({ code }) => code)).toEqual(['', '', 'user.negative_quota'])
    expect(await stored('quota')).toEqual([500, 500, 10])
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('that may not be changed are named, and the others change', async () => {
    const all = [...ids(), admin.id, app.root.id, 99_999]
    const { data } = await admin.call(updateUsersBatch, { body: { ids: all, change: { status: 2 } } })
    expect(data.map(({ code }) => code)).toEqual([
      '',
      '',
      '',
      'user.no_permission',
      'user.no_permission',
      'user.unknown',
    ])
    expect(await stored('status')).toEqual([2, 2, 2])
  })

  test.each([
    ['nothing', {}],
    ['two things', { group: 'vip', status: 2 }],
    ['quota without a reason', { add_quota: 5 }],
    ['no quota', { add_quota: 0, reason: 'x' }],
    ['a part of a unit', { add_quota: 0.5, reason: 'x' }],
    ['an unknown field', { role: 100 }],
    ['an empty group', { group: ' ' }],
  ])('are not changed by %s', async (_, change) => {
    const body = { ids: ids(), change } as never
    expect((await admin.call(updateUsersBatch, { body })).success).toBe(false)
    expect(await stored('group')).toEqual(['default', 'default', 'vip'])
    expect(await stored('quota')).toEqual([1000, 1000, 10])
  })

  test('do not move to a group that does not exist', async () => {
    const { data } = await admin.call(updateUsersBatch, { body: { ids: ids(), change: { group: 'nope' } } })
    expect(data.map(({ code }) => code)).toEqual(ids().map(() => 'user.unknown_group'))
  })
})

describe('all users that match', () => {
  const change = (filter: object, count: number, by: object) =>
    admin.call(updateMatchingUsers, {
      body: { filter: { ...FILTER, ...filter }, count, change: by as never },
    })

  test('change, and nobody else', async () => {
    expect((await change({ group: 'default', role: 1 }, 2, { group: 'vip' })).data).toEqual({
      matched: 2,
      changed: 2,
    })
    expect(await stored('group')).toEqual(['vip', 'vip', 'vip'])
    const root = await app.db
      .selectFrom('users')
      .select('group')
      .where('id', '=', app.root.id)
      .executeTakeFirst()
    expect(root?.group).toBe('default')
  })

  test('are counted apart where the rules do not allow the change', async () => {
    const { data } = await change({}, 4, { add_quota: -500, reason: 'mistaken gift' })
    expect(data).toEqual({ matched: 4, changed: 2 })
    expect(await stored('quota')).toEqual([500, 500, 10])
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('are not changed when more match than were confirmed', async () => {
    expect((await change({ role: 1 }, 2, { status: 2 })).code).toBe('matching.more_match')
    expect(await stored('status')).toEqual([1, 1, 1])
  })

  test('leave one row in the audit log', async () => {
    await change({ role: 1 }, 3, { group: 'vip' })
    const { data } = await (await app.root.fetch('/api/audit/?action=matching')).json()
    expect(data.items).toMatchObject([{ kind: 'user', count: 3, actor_name: 'admin' }])
  })

  test('are not selected by a misspelled condition', async () => {
    expect((await change({ grup: 'default' }, 3, { status: 2 })).success).toBe(false)
  })
})
