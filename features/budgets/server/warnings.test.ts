import { afterEach, beforeEach, expect, test } from 'bun:test'
import { combineListeners } from '#server/api/events.ts'
import { buildBill, buildHoldRequest } from '#server/ledger/testing.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { COUNTS } from './find-budgets.ts'
import { type BudgetRow, insertBudget } from './queries/budgets.ts'
import { NO_RULES, sharesOf } from './testing/budgets.ts'
import { createBudgetWarnings } from './warnings.ts'
import { windowAt } from './windows.ts'

const DAY_MS = 86_400_000

let opened: TestNotifications
beforeEach(async () => {
  opened = await TestNotifications.open()
  opened.ledger.boundBy({ ...COUNTS, ...NO_RULES })
})
afterEach(() => opened.close())

const openMonitor = async () =>
  createBudgetWarnings({
    ...(await opened.openProcess()),
    ledger: opened.ledger,
    budgetSubject: () => undefined,
  })

async function addBudget(columns: Partial<BudgetRow> = {}) {
  const user_id = await opened.addUser(1_000_000)
  return insertBudget(opened.db, {
    ...{ user_id, unit: 'quota', amount: 1000, period: 'day', warn_percent: 80 },
    ...columns,
  })
}

/** Charges the user of a budget as a request does. */
async function use(budget: BudgetRow, units: number): Promise<void> {
  const { start: window } = windowAt(budget, opened.nowMs / 1000)
  const budgets = sharesOf([budget.id], { window, amount: units, bound: undefined })
  const hold = await opened.ledger.reserve({ ...buildHoldRequest(budget.user_id, units), budgets })
  await opened.ledger.settle(hold, buildBill(units))
}

test('warns once when the share is used, and again in the next window', async () => {
  const monitors = [await openMonitor(), await openMonitor()]
  const checkNow = () => Promise.all(monitors.map(monitor => monitor.checkNow()))
  const budget = await addBudget()
  await use(budget, 799)
  await checkNow()
  expect(opened.mailServer.mails).toEqual([])
  await use(budget, 1)
  await checkNow()
  await use(budget, 50)
  await checkNow()
  expect(opened.mailServer.mails).toHaveLength(1)
  expect(opened.mailServer.mails[0]?.text).toContain('80 %')
  opened.nowMs += DAY_MS
  await use(budget, 900)
  await checkNow()
  expect(opened.mailServer.mails).toHaveLength(2)
})

test('of a budget that never resets is sent once', async () => {
  const { checkNow } = await openMonitor()
  const budget = await addBudget({ period: 'none', is_hard: 0 })
  for (const units of [900, 900]) {
    await use(budget, units)
    await checkNow()
  }
  expect(opened.mailServer.mails).toHaveLength(1)
})

test('reaches nobody where the budget does not warn', async () => {
  const { checkNow } = await openMonitor()
  await use(await addBudget({ warn_percent: 0 }), 1000)
  await checkNow()
  expect(opened.mailServer.mails).toEqual([])
})

test('of an organisation is sent as its feature says', async () => {
  const texts: string[] = []
  const events = combineListeners([
    {
      notifierOf: async ({ kind }) =>
        kind === 'organization' ? async ({ text }) => void texts.push(text.en) : undefined,
    },
  ])
  const { checkNow } = createBudgetWarnings({
    ...(await opened.openProcess()),
    ...{ ledger: opened.ledger, events },
    budgetSubject: () => undefined,
  })
  const budget = await addBudget({ subject: 'user' })
  await opened.db
    .updateTable('users')
    .set({ kind: 'organization' })
    .where('id', '=', budget.user_id)
    .execute()
  await use(budget, 900)
  await checkNow()
  expect(texts).toHaveLength(1)
  expect(texts[0]).toContain('the daily budget of the organisation allows')
  expect(opened.mailServer.mails).toEqual([])
})
