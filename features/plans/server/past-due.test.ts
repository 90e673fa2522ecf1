import { afterEach, beforeEach, expect, test } from 'bun:test'
import { inTransaction } from '#server/db/engine/database.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { PlanDraft } from '../contract/plans.ts'
import { createPastDueNotifier } from './past-due.ts'
import { addPlan } from './plans.ts'
import { startPlan } from './subscriptions.ts'

let opened: TestNotifications
beforeEach(async () => {
  opened = await TestNotifications.open()
})
afterEach(() => opened.close())

const deps = {
  ledger: { budgetRules: () => ({ put: async () => undefined }) },
  cause: { actorId: 0, requestId: '' },
}

test('a user whose renewal failed is told the plan, the price and the days of grace', async () => {
  const userId = await opened.addUser(1_000_000)
  const windows = [{ period: 'day', hours: 0, unit: 'requests', amount: 5 }]
  const { id: planId } = await addPlan(opened.db, PlanDraft.parse({ name: 'Pro', price: 500_000, windows }))
  const row = await inTransaction(opened.db, tx => startPlan(tx, { userId, planId, zone: 'UTC' }, deps))
  await createPastDueNotifier(await opened.openProcess())(row)
  const [mail] = opened.mailServer.mails
  expect(mail?.subject).toContain('Your plan could not be renewed')
  for (const text of ['$1.000000', '"Pro"', 'within 3 days', 'https://gate.example/topup'])
    expect(mail?.text).toContain(text)
})
