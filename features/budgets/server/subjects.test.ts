import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sameInBoth } from '#server/core/language.ts'
import type { RequestedUse } from '#server/ledger/ledger-command.ts'
import { buildHoldRequest } from '#server/ledger/testing.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { createBudgetBook } from './find-budgets.ts'
import { type BudgetRow, insertBudget, listBudgetsOf } from './queries/budgets.ts'
import { addToBudgetWindows } from './queries/counts.ts'
import { readBudget } from './testing/budgets.ts'

let opened: TestNotifications
let userId: number
beforeEach(async () => {
  opened = await TestNotifications.open()
  userId = await opened.addUser(1_000_000)
})
afterEach(() => opened.close())

const openBook = async () =>
  createBudgetBook({
    ...(await opened.openProcess()),
    budgetSubject: () => ({
      name: sameInBoth('member'),
      isOpen: true,
      findPayer: async () => userId,
    }),
  })

const MEMBER = { kind: 'member', id: 4 }
const use = (subjects: RequestedUse['subjects']): RequestedUse => ({
  group: 'default',
  model: 'gpt-5',
  tokens: 100,
  subjects,
})

test('a request takes from the budgets of its subjects, of its payer alone', async () => {
  const add = async (row: Partial<BudgetRow>) =>
    (await insertBudget(opened.db, { user_id: userId, unit: 'quota', amount: 500, ...row })).id
  const ofUser = await add({ subject: 'user', subject_id: userId })
  const ofMember = await add({ subject: 'member', subject_id: 4 })
  await add({ subject: 'member', subject_id: 5 })
  await add({ subject: 'project', subject_id: 4 })
  await add({ subject: 'member', subject_id: 4, user_id: userId + 1 })
  const book = await openBook()
  const hold = buildHoldRequest(userId, 100)
  const found = await book.find(hold, use([MEMBER]))
  expect(found.map(({ budgetId }) => budgetId)).toEqual([ofUser, ofMember])
  const reason = found[1]?.bound?.reject({ limit: 500, taken: 450, needed: 100, oldest: undefined })
  expect(reason?.message).toContain('the total budget of the member')
})

test('a budget for a model bounds requests that let it answer in place of theirs', async () => {
  const add = async (model: string) =>
    (await insertBudget(opened.db, { user_id: userId, unit: 'quota', amount: 500, ...ofMember, model })).id
  const ofMember = { subject: 'member', subject_id: 4 }
  const [ofPro] = [await add('gpt-*-pro'), await add('gpt-4'), await add('gpt-5-pro-*')]
  const book = await openBook()
  const find = async (others: readonly string[]) =>
    (await book.find(buildHoldRequest(userId, 100), { ...use([MEMBER]), others })).map(
      ({ budgetId }) => budgetId,
    )
  expect(await find([])).toEqual([])
  expect(await find(['gpt-5-mini', 'gpt-5-pro'])).toEqual([ofPro])
})

test('a feature sets all budgets of its subject, and use so far stays', async () => {
  const book = await openBook()
  const subject = { ...MEMBER, userId }
  const five = { name: 'five hours', unit: 'quota', amount: 100, period: 'rolling', hours: 5 } as const
  const month = { name: 'month', unit: 'quota', amount: 900, period: 'month' } as const
  await book.put(opened.db, subject, [five, month])
  const [first] = await listBudgetsOf(opened.db, MEMBER)
  expect(first).toMatchObject({ ...five, user_id: userId, is_managed: 1, is_hard: 1 })
  const budgetId = first?.id ?? 0
  await addToBudgetWindows(opened.db, [{ budgetId, window: 60, used: 40, held: 0 }])
  await book.put(opened.db, subject, [{ ...five, amount: 200 }])
  expect((await listBudgetsOf(opened.db, MEMBER)).map(({ id, amount }) => [id, amount])).toEqual([
    [budgetId, 200],
  ])
  expect(await readBudget(opened.db, budgetId)).toEqual({ used: 40, held: 0 })
  await book.put(opened.db, subject, [])
  expect(await listBudgetsOf(opened.db, MEMBER)).toEqual([])
})
