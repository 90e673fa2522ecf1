import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, listTokens } from '#contract/entities/token.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import {
  deleteMatchingChannels,
  updateMatchingChannels,
} from '#features/channels/contract/channel-matching.ts'
import {
  createRedemptions,
  deleteMatchingRedemptions,
  listRedemptions,
  redeem,
  updateMatchingRedemptions,
} from '#features/redemption-codes/contract.ts'
import { deleteMatchingTokens, updateMatchingTokens } from '#features/tokens/contract/matching-tokens.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { changeMatching } from './change-matching.ts'

let app: TestApp
let admin: TestClient
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
  anna = await app.addUser({ username: 'anna', quota: 1000 })
})
afterEach(() => app.close())

const rowOf = <Row>([row]: readonly Row[]): Row => {
  if (row === undefined) throw new Error('there is no row')
  return row
}

describe('tokens', () => {
  const add = (name: string, client = anna, draft: object = {}) =>
    client.call(createToken, { body: { name, remain_quota: 500, ...draft } })
  const statuses = async (client = anna) =>
    Object.fromEntries((await client.call(listTokens)).data.map(({ name, status }) => [name, status]))

  test('changes those of the caller that match, beyond a page and a batch, and no others', async () => {
    for (let number = 0; number < 3; number += 1) await add(`prod-${number}`)
    await add('test')
    await add('prod-of-admin', admin)
    const { data } = await anna.call(updateMatchingTokens, {
      body: { filter: { keyword: 'prod' }, count: 3, status: 2 },
    })
    expect(data).toEqual({ matched: 3, changed: 3 })
    expect(await statuses()).toEqual({ 'prod-0': 2, 'prod-1': 2, 'prod-2': 2, test: 1 })
    expect(await statuses(admin)).toEqual({ 'prod-of-admin': 1 })
  })

  test('leaves expired and exhausted tokens as they are when it enables', async () => {
    await add('good')
    await add('expired')
    await add('empty', anna, { remain_quota: 0 })
    await app.db.updateTable('tokens').set({ expired_time: 1 }).where('name', '=', 'expired').execute()
    await app.db.updateTable('tokens').set({ status: 2 }).execute()
    const body = { filter: { status: 2 }, count: 3, status: 1 as const }
    expect((await anna.call(updateMatchingTokens, { body })).data).toEqual({ matched: 3, changed: 1 })
    expect(await statuses()).toEqual({ good: 1, expired: 2, empty: 2 })
  })

  test('deletes by the end of the key, status and group together', async () => {
    const { data: token } = await add('one')
    await add('two')
    const filter = { token: token.key.slice(-4), status: 1 }
    const { data } = await anna.call(deleteMatchingTokens, { body: { filter, count: 1 } })
    expect(data).toEqual({ matched: 1, changed: 1 })
    expect(Object.keys(await statuses())).toEqual(['two'])
  })

  test('changes nothing when more match than were confirmed, and runs when fewer do', async () => {
    await add('one')
    await add('two')
    const rejected = await anna.call(deleteMatchingTokens, { body: { filter: {}, count: 1 } })
    expect(rejected).toMatchObject({ status: 409, success: false, code: 'matching.more_match' })
    expect(rejected.message).toContain('2 match now')
    expect(Object.keys(await statuses())).toHaveLength(2)
    const { data } = await anna.call(deleteMatchingTokens, { body: { filter: {}, count: 5 } })
    expect(data).toEqual({ matched: 2, changed: 2 })
  })

  test.each([
    { filter: { keywords: 'prod' }, count: 9 },
    { filter: { status: 'x' }, count: 9 },
    { filter: {}, count: 9, keyword: 'prod' },
    { filter: {} },
    { count: 9 },
  ])('rejects the filter %j, which would select more than was meant', async body => {
    await add('one')
    expect((await anna.call(deleteMatchingTokens, { body })).code).toBe('invalid_parameter')
    expect(Object.keys(await statuses())).toEqual(['one'])
  })
})

describe('redemption codes', () => {
  const add = async (name: string, count: number) =>
    (await admin.call(createRedemptions, { body: { name, quota: 500, count } })).data

  test('disables and deletes more than one batch by the beginning of the name; used codes stay used', async () => {
    for (let batch = 0; batch < 3; batch += 1) await add('spring', 100)
    await add('autumn', 2)
    await anna.call(redeem, { body: { key: rowOf(await add('spring', 1)) } })
    const body = { filter: { keyword: 'spring' }, count: 301, status: 2 as const }
    expect((await admin.call(updateMatchingRedemptions, { body })).data).toEqual({
      matched: 301,
      changed: 300,
    })
    const left = (await admin.call(listRedemptions, { query: { status: 1 } })).data
    expect(left.items.map(item => item.name)).toEqual(['autumn', 'autumn'])
    const deleted = await admin.call(deleteMatchingRedemptions, {
      body: { filter: { status: 2 }, count: 300 },
    })
    expect(deleted.data).toEqual({ matched: 300, changed: 300 })
    expect((await admin.call(listRedemptions)).data.total).toBe(3)
  })

  test('are changed by administrators only', async () => {
    const body = { filter: {}, count: 1 }
    expect((await anna.call(deleteMatchingRedemptions, { body })).code).toBe('auth.no_permission')
  })
})

describe('channels', () => {
  const add = (name: string, change: object = {}) =>
    admin.call(createChannels, {
      body: { type: 1, name, key: 'sk-1', models: 'm', group: 'default', ...change },
    })
  const channels = () => app.db.selectFrom('channels').selectAll().orderBy('id').execute()
  const routed = async () =>
    (await app.db.selectFrom('abilities').selectAll().where('enabled', '=', 1).execute()).map(
      row => [row.channel_id, row.group, row.tag] as const,
    )

  test('changes those that match every condition, with their routes', async () => {
    await add('main-1', { models: 'gpt-4o' })
    await add('main-2', { models: 'other' })
    await add('spare', { models: 'gpt-4o' })
    const { data } = await admin.call(updateMatchingChannels, {
      body: {
        filter: { keyword: 'main', model: 'gpt' },
        count: 1,
        tag: 'night',
        groups: ['vip'],
        priority: 7,
      },
    })
    expect(data).toEqual({ matched: 1, changed: 1 })
    expect((await channels()).map(({ tag, group, priority }) => [tag, group, priority])).toEqual([
      ['night', 'vip', 7],
      ['', 'default', 0],
      ['', 'default', 0],
    ])
    expect(await routed()).toContainEqual([1, 'vip', 'night'])
  })

  test('disables all, and deletes those of a status with their routes', async () => {
    await add('one')
    await add('two')
    await admin.call(updateMatchingChannels, { body: { filter: { keyword: 'one' }, count: 1, status: 2 } })
    expect((await routed()).map(([id]) => id)).toEqual([2])
    const { data } = await admin.call(deleteMatchingChannels, {
      body: { filter: { status: 2 }, count: 1 },
    })
    expect(data).toEqual({ matched: 1, changed: 1 })
    expect((await channels()).map(row => row.name)).toEqual(['two'])
  })

  test('rejects a change without fields, and one that leaves no group', async () => {
    await add('one')
    const change = async (fields: object) =>
      (await admin.call(updateMatchingChannels, { body: { filter: {}, count: 1, ...fields } })).code
    expect(await change({})).toBe('invalid_parameter')
    expect(await change({ groups: [] })).toBe('channel.groups_needed')
    expect(await change({ key: 'sk-2' })).toBe('invalid_parameter')
  })
})

test('changes only rows that matched at the beginning and still match in their batch', async () => {
  const first = Array.from({ length: 400 }, (_, index) => index + 1)
  const changed: number[] = []
  const result = await changeMatching(
    {
      count: 400,
      // Row 399 stops matching after the first batch, and row 401 begins to match.
      listIds: async (_db, ids) => (ids ? ids.filter(id => id !== 399) : first),
      change: async (_tx, ids) => changed.push(...ids) && ids.length,
    },
    { db: app.db, reader: app.db, willChange: async () => undefined },
  )
  expect(result).toEqual({ matched: 400, changed: 399 })
  expect(changed).toEqual(first.filter(id => id !== 399))
})
