import { expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { type FakeGateway, Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, fill, openPage } from '#console/testing/open-page.tsx'
import { SAMPLE_TOKEN } from '#console/testing/sample-token.ts'
import { getToken, listTokens } from '#contract/entities/token.ts'
import type { User } from '#contract/entities/user.ts'
import { ROLE } from '#contract/enums.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { getInvitationCode } from '#features/account/contract.ts'
import { listAuditLog } from '#features/audit-log/contract/audit-log.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import { listTokenAddresses } from '#features/token-addresses/contract.ts'
import {
  type Budget,
  BudgetDraft,
  createBudget,
  deleteBudget,
  listBudgets,
  updateBudget,
} from '../contract.ts'

closePages()

const budgetOf = (change: Partial<Budget> = {}): Budget => ({
  ...BudgetDraft.parse({ subject: 'token', subject_id: SAMPLE_TOKEN.id, amount: 5_000_000 }),
  id: 3,
  is_managed: false,
  used: 0,
  held: 0,
  saved: 0,
  resets_time: 0,
  created_time: 1_760_000_000,
  ...change,
})

/** A gateway with one token and its budgets. */
function budgetGateway(budgets: Budget[] = [], self: Partial<User> = {}): FakeGateway {
  return fakeGateway({ self })
    .on(listTokens, () => [SAMPLE_TOKEN], { total: 1, page: 0, page_size: 10 })
    .on(getToken, () => SAMPLE_TOKEN)
    .on(listSelfGroups, () => ({}))
    .on(listUserModels, () => [])
    .on(listPricing, () => [], { group_ratio: {}, usable_group: {} })
    .on(listBudgets, () => budgets)
    .on(listTokenAddresses, () => [])
    .on(listAuditLog, () => ({ items: [], total: 0, page: 1, page_size: 5 }))
    .on(createBudget, ({ body }) => {
      const created = budgetOf({ ...body, id: budgets.length + 1 })
      budgets.push(created)
      return created
    })
    .on(updateBudget, ({ body }) => {
      const changed = { ...budgetOf(), ...BudgetDraft.parse({ ...budgetOf(), ...body }) }
      budgets[0] = changed
      return changed
    })
    .on(deleteBudget, () => {
      budgets.pop()
      return undefined
    })
}

const section = async () => within(await screen.findByRole('region', { name: 'Budgets' }))
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('a token gets a monthly budget by its amount alone', async () => {
  const gateway = budgetGateway()
  const user = await openPage('/token?edit=7')
  const budgets = await section()
  await budgets.findByText(/No budgets/)
  await user.click(budgets.getByRole('button', { name: 'Add budget' }))
  const form = await dialog('Add budget')
  await fill(user, form.getByLabelText('In dollars'), '10')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await budgets.findByText('Monthly budget')
  expect(budgets.getByRole('meter').getAttribute('aria-valuetext')).toBe('$0.00 of $10.00')
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { subject: 'token', subject_id: 7, amount: 5_000_000, period: 'month', is_hard: true, warn_percent: 80 },
  ])
})

test('shows what is used, what is reserved and the reset, beside what it is', async () => {
  budgetGateway([
    budgetOf({ used: 4_000_000, held: 500_000, saved: 250_000, resets_time: 1_764_543_600 }),
    budgetOf({ id: 4, unit: 'requests', period: 'rolling', hours: 5, amount: 20, used: 1, is_hard: false }),
    budgetOf({ id: 5, name: 'Course', is_managed: true, is_enabled: false, model: 'gpt-5' }),
  ])
  await openPage('/token?edit=7')
  const items = await (await section()).findAllByRole('listitem')
  const [month = '', rolling = '', course = ''] = items.map(({ textContent }) => textContent)
  expect(month).toContain('$8.00 of $10.00 · $1.00 reserved · $0.50 saved')
  expect(month).toContain('Resets')
  expect(rolling).toContain('Budget of 5 hours')
  expect(rolling).toContain('1 request of 20 requests')
  expect(rolling).toContain('Warns only')
  for (const text of ['Course', 'gpt-5', 'Off', 'Set by an administrator']) expect(course).toContain(text)
})

test('a budget replaces a model from a share on, and shows the rule and what it saved', async () => {
  const gateway = budgetGateway()
  const user = await openPage('/token?edit=7')
  await user.click(await (await section()).findByRole('button', { name: 'Add budget' }))
  const form = await dialog('Add budget')
  await fill(user, form.getByLabelText('In dollars'), '10')
  await fill(user, form.getByLabelText('Reduce cost from'), '80')
  await fill(user, form.getByLabelText('Model to replace'), 'opus-*')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await form.findByText(/check the numbers/)
  await fill(user, form.getByLabelText(/Replaced by/), 'sonnet-*')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await (await section()).findByText('From 80 %: opus-* → sonnet-*')
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { bend_percent: 80, bend_from: 'opus-*', bend_to: 'sonnet-*' },
  ])
})

test('a budget lowers the effort, and needs no other model for that', async () => {
  const gateway = budgetGateway([])
  const user = await openPage('/token?edit=7')
  await user.click(await (await section()).findByRole('button', { name: 'Add budget' }))
  const form = await dialog('Add budget')
  await fill(user, form.getByLabelText('In dollars'), '10')
  await fill(user, form.getByLabelText('Reduce cost from'), '80')
  await user.selectOptions(form.getByLabelText('Highest effort'), 'low')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await (await section()).findByText('From 80 %: any model → effort ≤ low')
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { bend_percent: 80, bend_from: '', bend_to: '', bend_effort: 'low' },
  ])
})

test('an owner cannot change what an administrator has set', async () => {
  budgetGateway([budgetOf({ is_managed: true })], { role: ROLE.user })
  await openPage('/token?edit=7')
  const budgets = await section()
  await budgets.findByText('Set by an administrator')
  expect(budgets.queryByRole('button', { name: 'Edit: Monthly budget' })).toBeNull()
})

test('a budget is changed and deleted, and the form of the token stays as it is', async () => {
  const gateway = budgetGateway([budgetOf()])
  const user = await openPage('/token?edit=7')
  const budgets = await section()
  await user.click(await budgets.findByRole('button', { name: 'Edit: Monthly budget' }))
  const form = await dialog('Edit budget')
  await user.selectOptions(form.getByLabelText('Period'), 'Daily')
  await user.keyboard('{Control>}{Enter}{/Control}')
  await budgets.findByText('Daily budget')
  expect(gateway.sent(updateBudget).map(({ body }) => body)).toMatchObject([{ period: 'day', hours: 0 }])
  expect(screen.getByRole('dialog', { name: 'Edit token #7' })).toBeTruthy()
  await user.click(budgets.getByRole('button', { name: 'Delete: Daily budget' }))
  await user.click((await dialog('Delete "Daily budget"?')).getByRole('button', { name: 'Delete' }))
  await budgets.findByText(/No budgets/)
})

test('keeps the input when a number is missing or the gateway rejects it', async () => {
  const gateway = budgetGateway().on(createBudget, () => {
    throw new Refusal('each subject has at most 20 budgets')
  })
  const user = await openPage('/token?edit=7')
  await user.click(await (await section()).findByRole('button', { name: 'Add budget' }))
  const form = await dialog('Add budget')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await form.findByText(/whole number above 0/)
  expect(gateway.sent(createBudget)).toEqual([])
  await fill(user, form.getByLabelText('In dollars'), '10')
  await user.click(form.getByRole('button', { name: 'Add budget' }))
  await form.findByText(/at most 20 budgets/)
  await waitFor(() => expect(form.getByLabelText('In dollars')).toHaveProperty('value', '10'))
})

/** Nothing has a place without a layout: what is in the section counts as seen, and nothing else. */
function seeSection(id: string): void {
  const value = class {
    readonly observe: (target: Element) => void
    readonly disconnect = () => undefined
    constructor(tell: (entries: readonly Partial<IntersectionObserverEntry>[]) => void) {
      this.observe = target => target.closest(`#${id}`) && tell([{ isIntersecting: true, target }])
    }
  }
  Object.defineProperty(globalThis, 'IntersectionObserver', { configurable: true, value })
}

test('the account shows what administrators have set for its user, to read', async () => {
  seeSection('budgets')
  budgetGateway([budgetOf({ subject: 'user', subject_id: 1, is_managed: true, used: 500_000 })]).on(
    getInvitationCode,
    () => 'code',
  )
  await openPage('/setting?tab=personal')
  const budgets = await section()
  expect((await budgets.findByRole('meter')).getAttribute('aria-valuetext')).toBe('$1.00 of $10.00')
  expect(budgets.queryByRole('button')).toBeNull()
})

test('offers to load the list again when it could not be loaded', async () => {
  budgetGateway().on(listBudgets, () => {
    throw new Refusal('the database is away')
  })
  await openPage('/token?edit=7')
  await (await section()).findByRole('button', { name: 'Retry' })
})
