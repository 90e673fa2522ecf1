import { expect, test } from 'bun:test'
import { screen, within } from '@testing-library/dom'
import { type FakeGateway, Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, fill, openPage } from '#console/testing/open-page.tsx'
import { ROLE } from '#contract/enums.ts'
import { listGroups } from '#contract/models.ts'
import { type Budget, BudgetDraft, listBudgets } from '#features/budgets/contract.ts'
import {
  createPlan,
  createPlanCodes,
  listOfferedPlans,
  listPlans,
  type Plan,
  PlanDraft,
  readPlanRevenue,
} from '../contract/plans.ts'
import {
  changeSubscription,
  endSubscription,
  listOwnSubscriptions,
  listSubscriptions,
  orderPlan,
  type Subscription,
  steerSubscription,
  subscribe,
} from '../contract/subscriptions.ts'

closePages()

const planOf = (change: Partial<Plan> = {}): Plan => ({
  ...PlanDraft.parse({
    name: 'Pro',
    price: 10_000_000,
    windows: [{ period: 'rolling', hours: 5, amount: 1_000_000 }],
  }),
  id: 2,
  created_time: 1_760_000_000,
  ...change,
})

const subscriptionOf = (change: Partial<Subscription> = {}): Subscription => ({
  id: 7,
  user_id: 3,
  username: 'ann',
  plan_id: 2,
  plan: 'Pro',
  state: 'active',
  is_covering: true,
  renews: true,
  price: 10_000_000,
  days: 30,
  days_left: 12,
  next_time: 1_764_543_600,
  next_plan: '',
  next_price: 10_000_000,
  paid: 10_000_000,
  earned: 6_000_000,
  owed: 4_000_000,
  created_time: 1_760_000_000,
  ended_time: 0,
  ...change,
})

const windowOf = (change: Partial<Budget> = {}): Budget => ({
  ...BudgetDraft.parse({
    subject: 'subscription',
    subject_id: 7,
    amount: 1_000_000,
    period: 'rolling',
    hours: 5,
  }),
  id: 3,
  is_managed: true,
  used: 250_000,
  held: 0,
  saved: 0,
  resets_time: 1_764_543_600,
  created_time: 1_760_000_000,
  ...change,
})

/** A gateway with plans on offer and the subscriptions of the reader. */
function buyerGateway(plans: Plan[], own: Subscription[]): FakeGateway {
  const steered = (change: Partial<Subscription>) => {
    own[0] = subscriptionOf({ ...own[0], ...change })
    return own[0]
  }
  return fakeGateway({ self: { role: ROLE.user } })
    .on(listOfferedPlans, () => plans)
    .on(listOwnSubscriptions, () => own)
    .on(listBudgets, () => [windowOf()])
    .on(subscribe, ({ body }) => {
      const bought = subscriptionOf({ plan_id: body.plan_id })
      own.push(bought)
      return bought
    })
    .on(steerSubscription, ({ body: { step } }) =>
      steered({ state: step === 'cancel' ? 'cancelled' : step === 'pause' ? 'paused' : 'active' }),
    )
    .on(changeSubscription, ({ body }) => steered({ plan_id: body.plan_id, plan: 'Max' }))
}

const card = async (name: string) => within(await screen.findByRole('article', { name }))
const buttonOf = async (title: string, action: string) => {
  const question = within(await screen.findByRole('dialog', { name: title }))
  return question.getByRole('button', { name: action })
}

test('a plan says what it costs and allows, and is bought after a question', async () => {
  const gateway = buyerGateway([planOf({ trial_days: 7, models: ['claude-*'], when_used_up: 'wait' })], [])
  const user = await openPage('/subscription')
  const plan = await card('Pro')
  for (const text of ['$20.00', '/ month', '7 days free', '$2.00 in 5 hours', 'Models: claude-*'])
    plan.getByText(text)
  plan.getByText('Beyond that, requests wait for the reset')
  await user.click(plan.getByRole('button', { name: 'Subscribe' }))
  await user.click(await buttonOf('Subscribe to "Pro"?', 'Subscribe'))
  expect((await screen.findAllByText('Your subscriptions')).length).toBeGreaterThan(0)
  expect(gateway.sent(subscribe).map(({ body }) => body)).toEqual([{ plan_id: 2 }])
})

test('whoever has too little orders the plan and is led to the wallet', async () => {
  const gateway = buyerGateway([planOf({ price: 200_000_000 })], []).on(orderPlan, () => ({
    missing: 100_000_000,
  }))
  const user = await openPage('/subscription')
  await user.click((await card('Pro')).getByRole('button', { name: 'Subscribe' }))
  const question = within(await screen.findByRole('dialog', { name: 'Top up and subscribe to "Pro"?' }))
  question.getByText(/your balance lacks \$200\.00/)
  await user.click(question.getByRole('button', { name: 'Cancel' }))
  expect(gateway.sent(orderPlan)).toEqual([])
})

test('a subscription shows its use, its reset and its renewal, is cancelled and kept', async () => {
  const gateway = buyerGateway([planOf()], [subscriptionOf()])
  const user = await openPage('/subscription')
  const region = within(await screen.findByRole('region', { name: 'Your subscriptions' }))
  const own = within(await region.findByRole('article', { name: 'Pro' }))
  expect((await own.findByRole('meter')).getAttribute('aria-valuetext')).toBe('$0.50 of $2.00 used')
  own.getByText(/Renews for \$20\.00 on/)
  await user.click(own.getByRole('button', { name: 'Cancel subscription' }))
  await user.click(await buttonOf('Cancel "Pro"?', 'Cancel subscription'))
  await user.click(await own.findByRole('button', { name: 'Keep subscription' }))
  await own.findByRole('button', { name: 'Pause' })
  expect(gateway.sent(steerSubscription).map(({ body }) => body)).toEqual([
    { step: 'cancel' },
    { step: 'keep' },
  ])
})

test('a subscription that is past due says what is missing and pays at once', async () => {
  const gateway = buyerGateway([], [subscriptionOf({ state: 'past_due', is_covering: false, next_time: 0 })])
  const user = await openPage('/subscription')
  const own = await card('Pro')
  own.getByText(/The balance does not cover \$20\.00/)
  await user.click(own.getByRole('button', { name: 'Pay now' }))
  await own.findByText('Active')
  expect(gateway.sent(steerSubscription).map(({ body }) => body)).toEqual([{ step: 'pay' }])
})

test('another plan takes the place of the only subscription', async () => {
  const gateway = buyerGateway([planOf(), planOf({ id: 3, name: 'Max' })], [subscriptionOf()])
  const user = await openPage('/subscription')
  await user.click((await card('Max')).getByRole('button', { name: 'Change to this plan' }))
  await user.click(await buttonOf('Change to "Max"?', 'Change to this plan'))
  await screen.findByText('Changed to "Max"')
  expect(gateway.sent(changeSubscription).map(({ body }) => body)).toEqual([{ plan_id: 3, from: 'now' }])
})

test('without plans the page says so', async () => {
  buyerGateway([], [])
  await openPage('/subscription')
  await screen.findByText('No plans on offer')
})

/** A gateway with what plans have brought. */
function sellerGateway(plans: Plan[], subscriptions: Subscription[]): FakeGateway {
  const page = { page: 1, page_size: 10 }
  return fakeGateway()
    .on(listPlans, () => plans.map(plan => ({ ...plan, subscribers: subscriptions.length, unused_codes: 0 })))
    .on(listGroups, () => ['default', 'vip'])
    .on(listSubscriptions, () => ({ items: subscriptions, total: subscriptions.length, ...page }))
    .on(readPlanRevenue, () => ({
      subscribers: subscriptions.length,
      past_due: 0,
      owed: 4_000_000,
      days: [{ day: '2026-05-20', paid: 10_000_000, earned: 6_000_000 }],
      renewals: [{ day: '2026-06-01', count: 1, amount: 10_000_000 }],
    }))
    .on(createPlan, ({ body }) => {
      const made = planOf({ ...PlanDraft.parse(body), id: 9 })
      plans.push(made)
      return made
    })
    .on(endSubscription, () => {
      subscriptions[0] = subscriptionOf({ state: 'ended' })
      return subscriptions[0]
    })
}

test('the seller makes a plan of a name, a price and a window', async () => {
  const gateway = sellerGateway([], [])
  const user = await openPage('/plan?edit=new')
  const form = within(await screen.findByRole('dialog', { name: 'Create plan' }))
  await user.click(form.getByRole('button', { name: 'Create' }))
  await form.findByText(/Enter a name, a price/)
  await fill(user, form.getByLabelText(/^Name/), 'Team')
  const [price, amount] = form.getAllByLabelText('In dollars')
  if (price && amount) {
    await fill(user, price, '20')
    await fill(user, amount, '30')
  }
  await user.click(form.getByRole('button', { name: 'Create' }))
  await screen.findByText('$20.00 / month')
  expect(gateway.sent(createPlan).map(({ body }) => body)).toMatchObject([
    {
      name: 'Team',
      price: 10_000_000,
      windows: [{ period: 'month', unit: 'quota', amount: 15_000_000, hours: 0 }],
    },
  ])
})

test('the seller keeps what was typed when the gateway rejects it', async () => {
  sellerGateway([planOf()], []).on(createPlan, () => {
    throw new Refusal('only a rolling window takes hours')
  })
  const user = await openPage('/plan?edit=new')
  const form = within(await screen.findByRole('dialog', { name: 'Create plan' }))
  await fill(user, form.getByLabelText(/^Name/), 'Team')
  for (const field of form.getAllByLabelText('In dollars')) await fill(user, field, '5')
  await user.click(form.getByRole('button', { name: 'Create' }))
  await form.findByText('only a rolling window takes hours')
  expect((form.getByLabelText(/^Name/) as HTMLInputElement).value).toBe('Team')
})

test('the seller gets codes of a plan to hand out', async () => {
  const codes = ['plan-1111', 'plan-2222']
  const gateway = sellerGateway([planOf()], []).on(createPlanCodes, () => codes)
  const user = await openPage('/plan')
  await user.click(await screen.findByRole('button', { name: 'Create codes of "Pro"' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Codes of "Pro"' }))
  await fill(user, dialog.getByLabelText('Number'), '2')
  await user.click(dialog.getByRole('button', { name: 'Create codes' }))
  for (const code of codes) await dialog.findByText(code)
  expect(gateway.sent(createPlanCodes).map(({ body }) => body)).toEqual([{ count: 2 }])
})

test('the seller sees money by day, renewals ahead and subscribers, and ends one with a refund', async () => {
  const gateway = sellerGateway([planOf()], [subscriptionOf()])
  const user = await openPage('/plan')
  await screen.findByText('$12.00 earned in 30 days')
  screen.getByText('1 for $20.00')
  await user.click(await screen.findByRole('button', { name: 'End "Pro" of ann' }))
  await user.click(await buttonOf('End "Pro" of ann?', 'End and refund'))
  await screen.findByText('Subscription ended')
  expect(gateway.sent(endSubscription).map(({ body }) => body)).toEqual([{ is_refunded: true }])
})
