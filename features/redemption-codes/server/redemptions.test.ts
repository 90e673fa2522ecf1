import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { listSelfLogs } from '#features/logs/contract/logs.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import {
  createRedemptions,
  deleteRedemption,
  deleteRedemptions,
  getRedemption,
  listRedemptions,
  type RedemptionDraft,
  redeem,
  searchRedemptions,
  updateRedemption,
  updateRedemptionsBatch,
} from '../contract.ts'

let app: TestApp
let admin: TestClient
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
  anna = await app.addUser({ username: 'anna' })
})
afterEach(() => app.close())

const make = async (draft: Partial<RedemptionDraft> = {}) => {
  const { data } = await admin.call(createRedemptions, { body: { name: 'gift', quota: 500, ...draft } })
  const { items } = (await admin.call(listRedemptions)).data
  return { codes: data, code: data[0] ?? '', id: items[0]?.id ?? 0 }
}
const quotaOf = async (client: TestClient) => (await client.call(getSelf)).data.quota
const setStatus = (id: number, status: number) =>
  admin.call(updateRedemption, { query: { status_only: true }, body: { id, status } })

describe('200', () => {
  test('creates distinct codes of 32 hex digits and lists them newest first', async () => {
    const { codes } = await make({ count: 3 })
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) expect(code).toMatch(/^[0-9a-f]{32}$/)
    const { data } = await admin.call(listRedemptions, { query: { p: 0, page_size: 2 } })
    expect(data).toMatchObject({ total: 3, page: 1, page_size: 2 })
    expect(data.items.map(item => item.key)).toEqual(codes.toReversed().slice(0, 2))
    expect(data.items[0]).toMatchObject({ name: 'gift', quota: 500, status: 1, count: 0, used_user_id: 0 })
  })

  test('disables, enables and deletes several at once and reports each result', async () => {
    const { codes } = await make({ count: 3 })
    const ids = [1, 2, 3, 99]
    await anna.call(redeem, { body: { key: codes[0] } })
    const codesOf = async (status: 1 | 2) =>
      (await admin.call(updateRedemptionsBatch, { body: { ids, status } })).data.map(row => row.code)
    const failed = ['redemption.stays_used', '', '', 'redemption.unknown']
    expect(await codesOf(2)).toEqual(failed)
    expect(await codesOf(1)).toEqual(failed)
    const { data } = await admin.call(deleteRedemptions, { body: { ids: [2, 99] } })
    expect(data).toMatchObject([
      { id: 2, success: true },
      { id: 99, success: false },
    ])
    expect((await admin.call(listRedemptions)).data.total).toBe(2)
  })

  test('encrypts codes in the database', async () => {
    const { code } = await make()
    expect(JSON.stringify(await app.db.selectFrom('redemptions').selectAll().execute())).not.toContain(code)
  })

  test('names a code after its amount when no name is given', async () => {
    for (const [quota, name] of [
      [100_000, '$0.20'],
      [500_000, '$1.00'],
      [1, '$0.000002'],
    ] as const) {
      const { id } = await make({ name: '', quota })
      expect((await admin.call(getRedemption, { params: { id } })).data.name).toBe(name)
    }
  })

  test('searches by id, beginning of the name, and complete code', async () => {
    const { id, code } = await make({ name: 'Gift 100%' })
    await make({ name: 'other' })
    const found = async (keyword: string) =>
      (await admin.call(searchRedemptions, { query: { keyword } })).data.items.map(item => item.name)
    expect(await found('Gift')).toEqual(['Gift 100%'])
    expect(await found('100%')).toEqual([])
    expect(await found(String(id))).toEqual(['Gift 100%'])
    expect(await found(code)).toEqual(['Gift 100%'])
    expect(await found('%')).toEqual([])
  })

  test('filters by status and totals the unused codes', async () => {
    await make({ name: 'spring', quota: 500, count: 3 })
    const { id } = await make({ name: 'summer', quota: 70 })
    await setStatus(id, 2)
    const page = async (query: object) => (await admin.call(searchRedemptions, { query: { ...query } })).data
    expect(await page({})).toMatchObject({ total: 4, unused_count: 3, unused_quota: 1500 })
    expect(await page({ status: 2 })).toMatchObject({ total: 1, unused_count: 0, unused_quota: 0 })
    expect((await page({ status: 2 })).items.map(item => item.name)).toEqual(['summer'])
    expect(await page({ keyword: 'spring', status: 1 })).toMatchObject({ total: 3, unused_quota: 1500 })
  })

  test('posts the quota of a redeemed code and logs it as a top-up', async () => {
    const { code, id } = await make()
    expect((await anna.call(redeem, { body: { key: ` ${code} ` } })).data).toBe(500)
    expect(await quotaOf(anna)).toBe(500)
    const used = (await admin.call(getRedemption, { params: { id } })).data
    expect(used).toMatchObject({ status: 3, used_user_id: anna.id })
    expect(used.redeemed_time).toBeGreaterThan(0)
    expect((await anna.call(listSelfLogs)).data.items).toMatchObject([{ type: 1, quota: 500 }])
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('updates, disables and enables an unused code', async () => {
    const { code, id } = await make()
    const { data } = await admin.call(updateRedemption, { body: { id, quota: 900 } })
    expect(data).toMatchObject({ name: 'gift', quota: 900 })
    expect((await setStatus(id, 2)).data.status).toBe(2)
    expect((await anna.call(redeem, { body: { key: code } })).code).toBe('redemption.used')
    expect((await setStatus(id, 1)).data.status).toBe(1)
    expect((await anna.call(redeem, { body: { key: code } })).data).toBe(900)
  })

  test('redeems a code once in 200 concurrent claims by 50 users', async () => {
    const { code } = await make()
    const users: TestClient[] = []
    for (let n = 0; n < 50; n += 1) users.push(await app.addUser({ username: `user${n}` }))
    const claims = await Promise.all(
      Array.from({ length: 200 }, (_, n) => users[n % 50]?.call(redeem, { body: { key: code } })),
    )
    expect(claims.filter(claim => claim?.success).length).toBe(1)
    expect(claims.filter(claim => claim?.code === 'redemption.used').length).toBe(199)
    expect((await Promise.all(users.map(quotaOf))).toSorted((a, b) => b - a).slice(0, 2)).toEqual([500, 0])
    expect((await auditLedger(app.db)).drift).toBe(0)
  }, 60_000)
})

describe('errors', () => {
  test('limits names to 20 characters, counted as code points', async () => {
    const named = async (name: string) =>
      (await admin.call(createRedemptions, { body: { name, quota: 1 } })).code
    expect(await named('兑'.repeat(20))).toBeUndefined()
    expect(await named('兑'.repeat(21))).toBe('invalid_parameter')
  })

  test('requires positive integers for quota and count, and at most 100 codes', async () => {
    for (const body of [
      { quota: -5 },
      { quota: 0 },
      { quota: 1.5 },
      { quota: 2e15 },
      { count: 0 },
      { count: 101 },
      { count: 1.5 },
    ])
      expect((await admin.call(createRedemptions, { body: { name: 'x', quota: 1, ...body } })).code).toBe(
        'invalid_parameter',
      )
    expect((await admin.call(listRedemptions)).data.total).toBe(0)
  })

  test('rejects updating or enabling a used code', async () => {
    const { code, id } = await make()
    await anna.call(redeem, { body: { key: code } })
    expect((await admin.call(updateRedemption, { body: { id, quota: 9 } })).code).toBe(
      'redemption.not_unused',
    )
    for (const status of [1, 2]) expect((await setStatus(id, status)).code).toBe('redemption.stays_used')
    expect((await anna.call(redeem, { body: { key: code } })).code).toBe('redemption.used')
    expect(await quotaOf(anna)).toBe(500)
  })

  test('rejects updating a disabled code and statuses other than 1 and 2', async () => {
    const { id } = await make()
    expect((await setStatus(id, 3)).code).toBe('redemption.unknown_status')
    await setStatus(id, 2)
    expect((await admin.call(updateRedemption, { body: { id, name: 'x' } })).code).toBe(
      'redemption.not_unused',
    )
  })

  test('rejects an empty name in an update', async () => {
    const { id } = await make()
    expect((await admin.call(updateRedemption, { body: { id, name: ' ' } })).code).toBe('invalid_parameter')
  })

  test('rejects unknown, deleted and missing codes', async () => {
    const { code, id } = await make()
    await admin.call(deleteRedemption, { params: { id } })
    for (const key of [code, 'f'.repeat(32)])
      expect((await anna.call(redeem, { body: { key } })).code).toBe('redemption.invalid')
    expect((await anna.call(redeem, { body: { key: ' ' } })).code).toBe('redemption.missing')
    expect((await admin.call(getRedemption, { params: { id } })).code).toBe('redemption.unknown')
    expect((await admin.call(deleteRedemption, { params: { id } })).code).toBe('redemption.unknown')
    expect((await setStatus(id, 1)).code).toBe('redemption.unknown')
  })
})
