import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, deleteToken } from '#contract/entities/token.ts'
import { manageUser } from '#features/users/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { quota } from '#server/core/money.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { createBudget, deleteBudget, listBudgets, updateBudget } from '../contract.ts'
import { maintainBudgets } from './maintenance.ts'
import { insertBudget, listBudgetsOfOwner } from './queries/budgets.ts'
import { addToBudgetWindows, insertBudgetUses } from './queries/counts.ts'
import { withBudgetTables } from './tables.ts'
import { auditBudgets, verifyBudgets } from './verify.ts'

let app: TestApp
let ann: TestClient
let admin: TestClient
let tokenId = 0
const NOW = Date.parse('2026-05-20T12:00:00Z')
let restoreClock: () => void

beforeEach(async () => {
  app = await openTestApp()
  ann = await app.addUser({ username: 'ann' })
  admin = await app.addUser({ username: 'adam', role: 'admin' })
  const { data } = await ann.call(createToken, { body: { name: 'laptop' } })
  tokenId = data.id
  restoreClock = setClock({ nowMs: () => NOW, elapsedMs: () => performance.now() })
})
afterEach(async () => {
  restoreClock()
  await app.close()
})

const ofToken = () => ({ subject: 'token', subject_id: tokenId })
const ofUser = (id: number) => ({ subject: 'user', subject_id: id })
const idOf = async (client: TestClient, body: object) => (await client.call(createBudget, { body })).data.id

describe('a budget of a token', () => {
  test('is created by its owner, monthly and hard by default, in the zone of the reports', async () => {
    const body = JSON.stringify({ key: 'ReportingTimeZone', value: 'Asia/Shanghai' })
    await app.root.fetch('/api/option/', { method: 'PUT', body })
    const { data } = await ann.call(createBudget, { body: { ...ofToken(), amount: 500 } })
    expect(data).toMatchObject({
      subject: 'token',
      subject_id: tokenId,
      unit: 'quota',
      period: 'month',
      time_zone: 'Asia/Shanghai',
      is_hard: true,
      is_managed: false,
      used: 0,
      held: 0,
      resets_time: 0,
    })
    expect((await ann.call(listBudgets, { query: ofToken() })).data).toEqual([data])
  })

  test('shows what is used and held in its window, and when that resets', async () => {
    const budgetId = await idOf(ann, { ...ofToken(), amount: 500, period: 'day' })
    const midnight = Date.parse('2026-05-20T00:00:00Z') / 1000
    await addToBudgetWindows(app.db, [
      { budgetId, window: midnight, used: 100, held: 20 },
      { budgetId, window: midnight - 86_400, used: 400, held: 0 },
    ])
    expect((await ann.call(listBudgets, { query: ofToken() })).data[0]).toMatchObject({
      used: 100,
      held: 20,
      resets_time: midnight + 86_400,
    })
  })

  test('counts use so far towards a longer window', async () => {
    const id = await idOf(ann, { ...ofToken(), amount: 500, period: 'day' })
    const yesterday = Date.parse('2026-05-19T00:00:00Z') / 1000
    await addToBudgetWindows(app.db, [{ budgetId: id, window: yesterday, used: 400, held: 0 }])
    const { data } = await ann.call(updateBudget, { params: { id }, body: { period: 'month' } })
    expect(data).toMatchObject({ used: 400, amount: 500, period: 'month' })
  })

  test('is changed field by field', async () => {
    const id = await idOf(ann, { ...ofToken(), amount: 500, name: 'Course', warn_percent: 80 })
    const { data } = await ann.call(updateBudget, { params: { id }, body: { amount: 900 } })
    expect(data).toMatchObject({ amount: 900, name: 'Course', warn_percent: 80, period: 'month' })
  })

  test('needs hours when it is rolling, and only then', async () => {
    const create = (body: object) => ann.call(createBudget, { body: { ...ofToken(), amount: 5, ...body } })
    expect((await create({ period: 'rolling' })).code).toBe('budget.hours')
    expect((await create({ period: 'day', hours: 5 })).code).toBe('budget.hours')
    expect((await create({ period: 'rolling', hours: 5 })).data).toMatchObject({ hours: 5 })
  })

  test('takes a pattern of models with one star', async () => {
    const create = (model: string) => ann.call(createBudget, { body: { ...ofToken(), amount: 5, model } })
    expect((await create('gpt-*-mini')).data).toMatchObject({ model: 'gpt-*-mini' })
    expect((await create('*-*')).code).toBe('budget.model')
  })

  test('is one of at most twenty', async () => {
    for (let count = 0; count < 20; count += 1) await idOf(ann, { ...ofToken(), amount: 500 })
    expect((await ann.call(createBudget, { body: { ...ofToken(), amount: 5 } })).code).toBe('budget.too_many')
  })

  test('names exactly one subject, and a zone that exists', async () => {
    const codes = await Promise.all(
      [{}, { subject: 'planet', subject_id: 1 }, { ...ofToken(), time_zone: 'Mars/Base' }].map(
        async body => (await ann.call(createBudget, { body: { amount: 5, ...body } })).code,
      ),
    )
    expect(codes).toEqual(['budget.subject', 'budget.subject', 'invalid_parameter'])
  })

  test('goes with its token', async () => {
    await idOf(ann, { ...ofToken(), amount: 500 })
    await ann.call(deleteToken, { params: { id: tokenId } })
    await maintainBudgets(app.db)
    expect(await withBudgetTables(app.db).selectFrom('budgets').selectAll().execute()).toEqual([])
  })
})

describe('who sets budgets', () => {
  test('an administrator sets those of users, which they see and cannot change', async () => {
    const id = await idOf(admin, { ...ofUser(ann.id), amount: 500 })
    expect((await ann.call(listBudgets, { query: ofUser(ann.id) })).data).toMatchObject([
      { id, ...ofUser(ann.id), is_managed: true },
    ])
    expect((await ann.call(updateBudget, { params: { id }, body: { amount: 900 } })).code).toBe(
      'budget.managed',
    )
    expect((await ann.call(deleteBudget, { params: { id } })).code).toBe('budget.managed')
    expect((await ann.call(createBudget, { body: { ...ofUser(ann.id), amount: 5 } })).code).toBe(
      'budget.managed',
    )
    expect((await admin.call(deleteBudget, { params: { id } })).success).toBe(true)
  })

  test('the owner of a token cannot loosen what an administrator set for it', async () => {
    const id = await idOf(admin, { ...ofToken(), amount: 500 })
    expect((await ann.call(updateBudget, { params: { id }, body: { is_enabled: false } })).code).toBe(
      'budget.managed',
    )
    const own = await idOf(ann, { ...ofToken(), amount: 100 })
    expect((await admin.call(updateBudget, { params: { id: own }, body: { amount: 50 } })).success).toBe(true)
  })

  test('nobody learns of tokens, users and budgets of others', async () => {
    const eve = await app.addUser({ username: 'eve' })
    const id = await idOf(ann, { ...ofToken(), amount: 500 })
    const codes = [
      await eve.call(listBudgets, { query: ofToken() }),
      await eve.call(createBudget, { body: { ...ofToken(), amount: 1 } }),
      await eve.call(listBudgets, { query: ofUser(ann.id) }),
      await eve.call(updateBudget, { params: { id }, body: { amount: 1 } }),
      await eve.call(deleteBudget, { params: { id } }),
    ].map(({ code }) => code)
    expect(codes).toEqual([
      'token.unknown',
      'token.unknown',
      'user.no_permission',
      'budget.unknown',
      'budget.unknown',
    ])
    expect((await app.visitor.call(listBudgets)).success).toBe(false)
  })

  test('budgets of several subjects are listed at once, to whoever pays for them', async () => {
    const { data: phone } = await ann.call(createToken, { body: { name: 'phone' } })
    const { data: spare } = await ann.call(createToken, { body: { name: 'spare' } })
    const of = (id: number) => idOf(ann, { subject: 'token', subject_id: id, amount: 500 })
    const [first, second] = [await of(tokenId), await of(phone.id)]
    await of(spare.id)
    await idOf(admin, { ...ofUser(ann.id), amount: 500 })
    const listed = async (client: TestClient, subject_ids: string) =>
      client.call(listBudgets, { query: { subject: 'token', subject_ids } })
    const ids = `${tokenId},${phone.id},999999999999999`
    expect((await listed(ann, ids)).data.map(({ id }) => id)).toEqual([first, second])
    // They may see those of one subject, but pay for none of them.
    expect((await listed(admin, ids)).data).toEqual([])
    for (const wrong of ['1,', 'x', ids + ',1'.repeat(100)])
      expect((await listed(ann, wrong)).success).toBe(false)
  })

  test('an administrator sets none of the same rank or above', async () => {
    const peer = await app.addUser({ username: 'amy', role: 'admin' })
    for (const id of [peer.id, app.root.id])
      expect((await admin.call(createBudget, { body: { ...ofUser(id), amount: 1 } })).code).toBe(
        'user.no_permission',
      )
    expect((await admin.call(createBudget, { body: { ...ofUser(admin.id), amount: 1 } })).success).toBe(true)
  })

  test('they go with their user', async () => {
    await idOf(ann, { ...ofToken(), amount: 500 })
    await app.root.call(manageUser, { body: { id: ann.id, action: 'delete' } })
    expect(await withBudgetTables(app.db).selectFrom('budgets').selectAll().execute()).toEqual([])
  })
})

test('a list of all own budgets goes on after its last one', async () => {
  const rows = Array.from({ length: 501 }, () => ({ user_id: ann.id, amount: 1, unit: 'quota' as const }))
  await withBudgetTables(app.db).insertInto('budgets').values(rows).execute()
  const { data: page } = await ann.call(listBudgets)
  expect(page).toHaveLength(500)
  const { data: rest } = await ann.call(listBudgets, { query: { after_id: page.at(-1)?.id ?? 0 } })
  expect(rest).toHaveLength(1)
  expect(rest[0]?.id).toBeGreaterThan(page.at(-1)?.id ?? 0)
})

describe('what a deleted budget has counted', () => {
  const countRows = async () => {
    const db = withBudgetTables(app.db)
    const uses = await db.selectFrom('budget_uses').select('budget_id').execute()
    const windows = await db.selectFrom('budget_windows').select('budget_id').execute()
    return [uses, windows].map(rows => rows.length)
  }
  const use = async (id: number, requests: number) => {
    const uses = Array.from({ length: requests }, (_, index) => ({ requestId: `r${index}`, amount: 0 }))
    const today = NOW / 1000
    await addToBudgetWindows(app.db, [{ budgetId: id, window: today, used: 0, held: 0 }])
    for (const window of [today, today + 1])
      await insertBudgetUses(
        app.db,
        uses.map(one => ({ ...one, budgetId: id, window, saved: null })),
      )
  }

  test('goes with the next maintenance, however much it is, and nothing of others', async () => {
    const [id, other] = [
      await idOf(ann, { ...ofToken(), amount: 5 }),
      await idOf(ann, { ...ofToken(), amount: 5 }),
    ]
    await use(id, 700)
    await use(other, 3)
    await ann.call(deleteBudget, { params: { id } })
    expect((await ann.call(listBudgets)).data.map(budget => budget.id)).toEqual([other])
    expect(await auditBudgets(app.db)).toEqual([])
    await maintainBudgets(app.db)
    expect(await countRows()).toEqual([6, 1])
    expect(await withBudgetTables(app.db).selectFrom('deleted_budgets').selectAll().execute()).toEqual([])
  })

  test('is no difference while a part of it is gone', async () => {
    const id = await idOf(ann, { ...ofToken(), amount: 5 })
    await addToBudgetWindows(app.db, [{ budgetId: id, window: 60, used: 8, held: 4 }])
    await ann.call(deleteBudget, { params: { id } })
    expect(await auditBudgets(app.db)).toEqual([])
  })
})

describe('old windows', () => {
  const today = NOW / 1000
  const insertUse = (id: number, days: number, amount: number) =>
    withBudgetTables(app.db)
      .insertInto('budget_uses')
      .values({
        budget_id: id,
        starts_at: today - days * 86_400,
        request_id: newRequestId(),
        amount,
      })
      .execute()
  const windowOf = (budgetId: number, days: number, used: number, held = 0) =>
    addToBudgetWindows(app.db, [{ budgetId, window: today - days * 86_400, used, held }])

  test('become one, and a budget that never resets keeps their sum', async () => {
    const id = await idOf(ann, { ...ofToken(), amount: 5000, period: 'none', unit: 'tokens' })
    for (const days of [70, 100]) {
      await windowOf(id, days, 30)
      for (let use = 0; use < 3; use += 1) await insertUse(id, days, 10)
    }
    await windowOf(id, 80, 0, 7)
    await windowOf(id, 1, 5)
    await insertUse(id, 1, 5)
    await maintainBudgets(app.db)
    await maintainBudgets(app.db)
    const rows = await withBudgetTables(app.db)
      .selectFrom('budget_windows')
      .select(['starts_at', 'used', 'held'])
      .orderBy('starts_at')
      .execute()
    expect(rows).toEqual([
      { starts_at: 0, used: 60, held: 0 },
      { starts_at: today - 80 * 86_400, used: 0, held: 7 },
      { starts_at: today - 86_400, used: 5, held: 0 },
    ])
    expect((await ann.call(listBudgets, { query: ofToken() })).data[0]).toMatchObject({ used: 65, held: 7 })
    expect((await auditBudgets(app.db)).map(({ balance }) => balance)).not.toContain('budget_windows.used')
  })
})

describe('verify', () => {
  test('finds use, holds and charges that do not match', async () => {
    const id = await idOf(ann, { ...ofToken(), amount: 500, period: 'none' })
    await addToBudgetWindows(app.db, [{ budgetId: id, window: 60, used: 12, held: 3 }])
    await withBudgetTables(app.db)
      .insertInto('budget_uses')
      .values({ budget_id: id, starts_at: 60, request_id: 'x', amount: quota(10) })
      .execute()
    const { drift, lines } = await verifyBudgets(app.db)
    expect(drift).toBe(2 + 10 + 3)
    expect(lines).toHaveLength(3)
  })
})

test('all budgets of a deleted user go, however many the tokens had', async () => {
  for (let count = 0; count < 501; count += 1)
    await insertBudget(app.db, { user_id: ann.id, amount: 1, unit: 'quota' })
  await app.root.call(manageUser, { body: { id: ann.id, action: 'delete' } })
  expect(await listBudgetsOfOwner(app.db, ann.id)).toEqual([])
})
