import { expect, test } from 'bun:test'
import { screen, within } from '@testing-library/dom'
import { type FakeGateway, Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, openPage } from '#console/testing/open-page.tsx'
import { SAMPLE_TOKEN } from '#console/testing/sample-token.ts'
import { getToken, listTokens } from '#contract/entities/token.ts'
import { ROLE } from '#contract/enums.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { listBudgets } from '#features/budgets/contract.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import { listTokenAddresses } from '#features/token-addresses/contract.ts'
import { type AuditRow, listAuditLog } from '../contract/audit-log.ts'

closePages()

const rowOf = (id: number, change: Partial<AuditRow>): AuditRow => ({
  id,
  created_at: 1_760_000_000,
  actor_id: 1,
  actor_name: 'root',
  credential: 'session',
  address: '203.0.113.7',
  request_id: `request-${id}`,
  action: 'PUT /api/token/',
  kind: 'token',
  code: '',
  input: {},
  before: { 7: { name: 'desk' } },
  after: { 7: { name: 'laptop' } },
  ...change,
})

const tokenGateway = (role: number): FakeGateway =>
  fakeGateway({ self: { role } })
    .on(listTokens, () => [SAMPLE_TOKEN], { total: 1, page: 0, page_size: 10 })
    .on(getToken, () => SAMPLE_TOKEN)
    .on(listSelfGroups, () => ({}))
    .on(listUserModels, () => [])
    .on(listPricing, () => [], { group_ratio: {}, usable_group: {} })
    .on(listBudgets, () => [])
    .on(listTokenAddresses, () => [])

const historyOf = (gateway: FakeGateway, rows: readonly AuditRow[], total: number) =>
  gateway.on(listAuditLog, () => ({ items: [...rows], total, page: 1, page_size: 5 }))

const section = async () => within(await screen.findByRole('region', { name: 'Change history' }))

test('the sheet of a record shows who changed it last, and leads to each entry', async () => {
  const gateway = historyOf(tokenGateway(ROLE.root), [rowOf(12, {}), rowOf(9, { actor_name: 'anna' })], 8)
  await openPage('/token?edit=7')
  const history = await section()
  const [entry] = await history.findAllByRole('listitem')
  expect(entry?.textContent).toContain('name: desk → laptop')
  expect(entry?.textContent).toContain('root')
  expect(
    within(entry ?? document.body)
      .getAllByRole('link')[0]
      ?.getAttribute('href'),
  ).toMatch(/\/audit\?.*row=/)
  history.getByRole('link', { name: 'All 8 entries in the audit log' })
  expect(gateway.sent(listAuditLog).map(({ query }) => query)).toMatchObject([
    { kind: 'token', target: '7', start_timestamp: '0', page_size: '5' },
  ])
})

test('says that a record has no history', async () => {
  historyOf(tokenGateway(ROLE.root), [], 0)
  await openPage('/token?edit=7')
  await (await section()).findByText('The audit log has no change of this record.')
})

test('a history that cannot be read leaves the form as it is', async () => {
  tokenGateway(ROLE.root).on(listAuditLog, () => {
    throw new Refusal('the audit log is busy')
  })
  await openPage('/token?edit=7')
  await (await section()).findByText(/the audit log is busy/)
  screen.getByRole('dialog', { name: 'Edit token #7' })
})

test('an administrator, who may not read the audit log, has no such section', async () => {
  const gateway = tokenGateway(ROLE.admin)
  await openPage('/token?edit=7')
  await screen.findByRole('region', { name: 'Budgets' })
  expect(screen.queryByRole('region', { name: 'Change history' })).toBeNull()
  expect(gateway.sent(listAuditLog)).toEqual([])
})
