import { describe, expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { type FakeGateway, Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, fill, openPage } from '#console/testing/open-page.tsx'
import { createToken, getToken, listTokens, type Token, TokenDraft } from '#contract/entities/token.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { listPricing } from '#features/pricing-page/contract.ts'

closePages()

const KEY_LENGTH = 48
const sheet = async () => within(await screen.findByRole('dialog'))

/** A token as the list shows it. Its key ends in the id. */
function tokenOf(id: number, change: Partial<Token> = {}): Token {
  return {
    ...TokenDraft.parse({ name: `token-${id}` }),
    id,
    user_id: 1,
    key: String(id).padStart(KEY_LENGTH, 'k'),
    status: 1,
    created_time: 1_760_000_000,
    accessed_time: 1_760_000_000,
    used_quota: 0,
    DeletedAt: null,
    ...change,
  }
}

/** A gateway with tokens. `refuse` may refuse the creation with this number, counted from 1. */
function tokenGateway(
  tokens: Token[] = [],
  refuse: (created: number) => string | undefined = () => undefined,
): FakeGateway {
  let calls = 0
  const matching = (query: Readonly<Record<string, string>>) =>
    tokens.filter(
      ({ status, group }) =>
        (!query.status || query.status === '0' || status === Number(query.status)) &&
        (!query.group || group === query.group),
    )
  return fakeGateway()
    .on(listTokens, ({ query }) => matching(query), { total: tokens.length, page: 0, page_size: 10 })
    .on(createToken, ({ body }) => {
      calls += 1
      const reason = refuse(calls)
      if (reason !== undefined) throw new Refusal(reason)
      const token = tokenOf(tokens.length + 1, body)
      tokens.push(token)
      return token
    })
    .on(listSelfGroups, () => ({
      default: { ratio: 1, desc: 'Everybody' },
      vip: { ratio: 2, desc: 'Important people' },
    }))
    .on(listUserModels, () => ['gpt-4o-mini'])
    .on(getToken, ({ params }) => tokenOf(Number(params.id)))
    .on(listPricing, () => [], { group_ratio: {}, usable_group: {} })
}

describe('creating', () => {
  test('shows validation errors, keeps the input and sends nothing', async () => {
    const gateway = tokenGateway()
    const user = await openPage('/token?edit=new')
    const form = await sheet()
    await fill(user, await form.findByLabelText('Expires'), 'tomorrow')
    await fill(user, form.getByLabelText('Allowed IPs'), '10.0.0.1\nnot-an-address')
    await user.click(form.getByRole('button', { name: 'Create' }))
    const summary = await form.findByRole('alert')
    expect(summary.textContent).toContain('3 fields need your attention')
    expect(summary.textContent).toContain('not-an-address')
    await user.click(within(summary).getByRole('button', { name: 'Name' }))
    expect(document.activeElement).toHaveProperty('name', 'name')
    expect(form.getByLabelText('Expires')).toHaveProperty('value', 'tomorrow')
    expect(gateway.sent(createToken)).toEqual([])
  })

  test('leaves a field alone that was passed by, and picks the expiry of a calendar', async () => {
    tokenGateway()
    const user = await openPage('/token?edit=new')
    const form = await sheet()
    await user.click(await form.findByLabelText(/^Name/))
    await user.click(form.getByRole('button', { name: 'Open calendar' }))
    const grid = await screen.findByRole('grid')
    await user.click(within(grid).getByRole('button', { current: 'date' }))
    const expiry = form.getByLabelText<HTMLInputElement>('Expires')
    await waitFor(() => expect(expiry.value).toMatch(/^\d{4}-\d\d-\d\d 00:00:00$/))
    expect(form.queryAllByText('Enter a name').length).toBe(0)
    expect(screen.queryAllByRole('grid').length).toBe(0)
  })

  test('sends what happens to service tiers and tools of the provider', async () => {
    const gateway = tokenGateway()
    const user = await openPage('/token?edit=new')
    const form = await sheet()
    await fill(user, await form.findByLabelText(/^Name/), 'for agents')
    await user.selectOptions(form.getByLabelText('Service tier'), 'Remove from the request')
    await user.selectOptions(form.getByLabelText('Tools of the provider'), 'Refuse the request')
    await user.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(gateway.sent(createToken)).toHaveLength(1))
    expect(gateway.sent(createToken)[0]?.body).toMatchObject({
      name: 'for agents',
      service_tier: 'strip',
      server_tools: 'forbid',
    })
  })

  test('gives all tokens of a batch but the first a suffix', async () => {
    const gateway = tokenGateway()
    const user = await openPage('/token?edit=new')
    const form = await sheet()
    await fill(user, await form.findByLabelText(/^Name/), 'worker')
    await fill(user, form.getByLabelText('Number of tokens'), '4')
    await user.click(form.getByRole('button', { name: 'Create 4' }))
    await screen.findByRole('dialog', { name: 'Save these 4 keys' })
    const names = gateway.sent(createToken).map(({ body }) => body.name)
    expect(names.toSorted()[0]).toBe('worker')
    expect(names.filter(name => /^worker-[A-Za-z0-9]{6}$/.test(name))).toHaveLength(3)
  })

  test('resumes a failed batch without repeating a name', async () => {
    const tokens: Token[] = []
    tokenGateway(tokens, created => (created === 2 ? 'not now' : undefined))
    const user = await openPage('/token?edit=new')
    const form = await sheet()
    await fill(user, await form.findByLabelText(/^Name/), 'worker')
    await fill(user, form.getByLabelText('Number of tokens'), '3')
    await user.click(form.getByRole('button', { name: 'Create 3' }))
    await form.findByText('1 could not be created: not now')
    expect(tokens).toHaveLength(2)
    await user.click(form.getByRole('button', { name: 'Retry these 1' }))
    await screen.findByRole('dialog', { name: 'Save these 3 keys' })
    expect(new Set(tokens.map(({ name }) => name)).size).toBe(3)
  })
})

test('filters the list by status and group and keeps both in the URL', async () => {
  tokenGateway([
    tokenOf(1, { name: 'plain' }),
    tokenOf(2, { name: 'resting', status: 2 }),
    tokenOf(3, { name: 'important', group: 'vip' }),
  ])
  const user = await openPage('/token')
  await screen.findByRole('row', { name: 'plain' })
  await user.click(screen.getAllByRole('button', { name: /^Status/ })[0] ?? document.body)
  await user.click((await sheet()).getByRole('button', { name: 'Disabled' }))
  await waitFor(() => expect(screen.queryByRole('row', { name: 'plain' })).toBeNull())
  screen.getByRole('row', { name: 'resting' })
  expect(new URL(window.location.href).search).toBe('?status=2')
})
