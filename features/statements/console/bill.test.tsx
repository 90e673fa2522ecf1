import { expect, test } from 'bun:test'
import { screen, within } from '@testing-library/dom'
import { closePages, fakeGateway, openPage } from '#console/testing/open-page.tsx'
import { ROLE } from '#contract/enums.ts'
import { getSelfAnalytics, type OwnAnalyticsFigures } from '#features/analytics/contract.ts'
import { listTagKeys } from '#features/tags/contract.ts'
import { type Bill, getSelfBill, getSelfStatement } from '../contract.ts'

closePages()

const START = 1_764_547_200
const period = { user_id: 7, username: 'acme', start_timestamp: START, end_timestamp: START + 86_400 }

const billOf = (change: Partial<Bill> = {}): Bill => ({
  ...period,
  ...{ number: '', issuer: ['Example Ltd.'], is_organization: true, charged: 1_500_000, requests: 5 },
  lines: [{ model: 'gpt-4o', requests: 5, input_tokens: 50, output_tokens: 20, amount: 1_500_000 }],
  ...change,
})

const figuresOf = (quota: number): OwnAnalyticsFigures => ({
  ...{ requests: 2, errors: 0, quota, input_tokens: 20, cached_input_tokens: 0, cache_write_tokens: 0 },
  ...{ audio_input_tokens: 0, image_input_tokens: 0, output_tokens: 8, reasoning_tokens: 0 },
  audio_output_tokens: 0,
})

const groupOf = (value: string, name: string, plan: string, quota: number) => ({
  ...{ value, name, second_value: plan, second_name: plan, previous: null },
  figures: figuresOf(quota),
})

function gatewayOf(bill: Bill) {
  const report = {
    ...{ start_timestamp: START, end_timestamp: START + 86_400, bucket: 'hour' as const, is_complete: true },
    ...{ total: figuresOf(0), previous_total: null, has_more: false, slots: [], series: [] },
    is_organization: bill.is_organization,
    groups: [
      groupOf('31', 'Alice', '', 1_000_000),
      groupOf('0', '', '', 250_000),
      groupOf('31', 'Alice', 'Pro', 900_000),
    ],
  }
  const statement = { ...period, opening: 0, closing: 0, credited: 0, debited: 0, charged: 0, requests: 0 }
  return fakeGateway({ self: { role: ROLE.user } })
    .on(getSelfStatement, () => ({ ...statement, transactions: [] }))
    .on(getSelfBill, () => bill)
    .on(getSelfAnalytics, () => report)
    .on(listTagKeys, () => ['course'])
}

const cells = async (name: string) => {
  const row = (await screen.findByRole('rowheader', { name })).closest('tr')
  return row
    ? within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent)
    : []
}

test('an organisation sees its bill by member, which adds up, and what plans paid apart', async () => {
  const gateway = gatewayOf(billOf())
  const user = await openPage('/statement?view=bill')
  await user.selectOptions(await screen.findByLabelText('By'), 'Member')
  expect(await cells('Alice')).toEqual(['2', '20', '8', '$2.000000'])
  expect(await cells('No member')).toEqual(['2', '20', '8', '$0.500000'])
  expect(await cells('Other charges')).toEqual(['1', '0', '0', '$0.500000'])
  expect(await cells('Total')).toEqual(['$3.000000'])
  expect(await cells('Alice · Pro')).toEqual(['2', '20', '8', '$1.800000'])
  const [call] = gateway.sent(getSelfAnalytics).slice(-1)
  expect(call?.query).toMatchObject({ by: 'member', second: 'plan', start_timestamp: String(START) })
  await user.selectOptions(screen.getByLabelText('By'), 'Tag course')
  await screen.findByRole('columnheader', { name: 'Tag course' })
  expect(gateway.sent(getSelfAnalytics).at(-1)?.query).toMatchObject({ by: 'tag', tag_key: 'course' })
  expect(gateway.problems).toEqual([])
})

test('a person has neither members nor projects', async () => {
  const gateway = gatewayOf(billOf({ is_organization: false }))
  await openPage('/statement?view=bill')
  await screen.findByRole('option', { name: 'Tag course' })
  const choice = within(screen.getByLabelText('By'))
  expect(choice.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Model',
    'Token',
    'Tag course',
  ])
  expect(await cells('gpt-4o')).toEqual(['5', '50', '20', '$3.000000'])
  expect(gateway.problems).toEqual([])
})
