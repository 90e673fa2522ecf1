import { expect, test } from 'bun:test'
import { screen, within } from '@testing-library/dom'
import { Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, openPage } from '#console/testing/open-page.tsx'
import { SAMPLE_TOKEN } from '#console/testing/sample-token.ts'
import { getToken, listTokens } from '#contract/entities/token.ts'
import { ROLE } from '#contract/enums.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { listBudgets } from '#features/budgets/contract.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import { listTokenAddresses, type TokenAddress } from '../contract.ts'

closePages()

async function openSection(reply: () => TokenAddress[]) {
  fakeGateway({ self: { role: ROLE.user } })
    .on(listTokens, () => [SAMPLE_TOKEN], { total: 1, page: 0, page_size: 10 })
    .on(getToken, () => SAMPLE_TOKEN)
    .on(listSelfGroups, () => ({}))
    .on(listUserModels, () => [])
    .on(listPricing, () => [], { group_ratio: {}, usable_group: {} })
    .on(listBudgets, () => [])
    .on(listTokenAddresses, reply)
  await openPage('/token?edit=7')
  return within(await screen.findByRole('region', { name: 'Used from' }))
}

test('the sheet of a token shows from where it is used, with first and last use', async () => {
  const section = await openSection(() => [
    { address: '203.0.113.7', first_time: 1_760_000_000, last_time: 1_760_086_400 },
    { address: '2001:db8::1', first_time: 1_760_000_000, last_time: 1_760_000_000 },
  ])
  const items = await section.findAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent?.match(/^[\d.a-f:]+/)?.[0])).toEqual([
    '203.0.113.7',
    '2001:db8::1',
  ])
  for (const label of ['First use', 'Last use']) expect(items[0]?.textContent).toContain(label)
})

test('says that nobody has used the token', async () => {
  await (await openSection(() => [])).findByText('No request has used this token in the last 90 days.')
})

test('says why the addresses could not be read', async () => {
  const section = await openSection(() => {
    throw new Refusal('the gateway is busy')
  })
  await section.findByText(/the gateway is busy/)
})
