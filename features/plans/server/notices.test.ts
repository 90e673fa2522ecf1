import { afterEach, beforeEach, expect, test } from 'bun:test'
import { inTransaction } from '#server/db/engine/database.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { PlanDraft } from '../contract/plans.ts'
import { createSubscriptionNotifier } from './notices.ts'
import { addPlan } from './plans.ts'
import type { SubscriptionState } from './subscription.ts'
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
const WINDOWS = [{ period: 'day', hours: 0, unit: 'requests', amount: 5 }]

/** The mails of a subscription to a plan for a dollar that has come from one state into another. */
async function mailsOf(former: SubscriptionState, state: SubscriptionState, language: '' | 'zh' = '') {
  const setting = JSON.stringify({ notify_type: 'email', notification_language: language })
  const userId = await opened.addUser(1_000_000, { setting })
  const draft = PlanDraft.parse({ name: 'Pro', price: 500_000, windows: WINDOWS })
  const { id: planId } = await addPlan(opened.db, draft)
  const row = await inTransaction(opened.db, tx => startPlan(tx, { userId, planId, zone: 'UTC' }, deps))
  await createSubscriptionNotifier(await opened.openProcess())({ ...row, state }, former)
  return opened.mailServer.mails.map(({ subject, text }) => `${subject} ${text}`)
}

test.each([
  ['active', 'past_due', ['could not be renewed', '$1.000000', 'within 3 days', '/topup', '套餐续费失败']],
  ['cancelled', 'ended', ['Your subscription has ended', 'the plan "Pro" has ended: from', '/subscription']],
  ['past_due', 'ended', ['has ended, since it was not paid in time', '套餐“Pro”的订阅因未按时续费已结束']],
  ['trial', 'active', ['Your trial has ended', 'has paid $1.000000', '套餐“Pro”的试用已结束']],
] as const)(
  'a user is told of a subscription that was %s and is %s, in both languages',
  async (former, state, texts) => {
    const [mail] = await mailsOf(former, state)
    for (const text of texts) expect(mail).toContain(text)
  },
)

test('a user who chose a language reads that one', async () => {
  const [mail] = await mailsOf('cancelled', 'ended', 'zh')
  expect(mail).toContain('套餐订阅已结束')
  expect(mail).not.toContain('Your subscription')
})

test.each([
  ['active', 'active'],
  ['active', 'cancelled'],
  ['paused', 'active'],
  ['past_due', 'active'],
] as const)('nobody is told of one that was %s and is %s', async (former, state) => {
  expect(await mailsOf(former, state)).toEqual([])
})
