import { beforeAll, expect, test } from 'bun:test'
import { createPlan, createPlanCodes } from '#features/plans/contract/plans.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'

describeConsole()

let anna: AdminClient
beforeAll(async () => {
  anna = await addUser(site.gateway, { username: 'anna', wallet: 20_000_000 })
  const windows = [
    { period: 'rolling', hours: 5, amount: 2_500_000 },
    { period: 'month', amount: 30_000_000 },
  ] as const
  await site.root.call(createPlan, {
    body: { name: 'Pro', description: 'For every day.', price: 10_000_000, windows: [...windows] },
  })
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('a buyer gets from the wallet to a subscription, and the seller sees it', async () => {
  await openAs(anna)
  await page.goto(`${site.gateway.url}/topup`)
  await page.getByRole('link', { name: 'See plans' }).click()
  await button('Subscribe').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('article', { name: 'Pro' }).first().getByText('$0.00 of $5.00 used').waitFor()
  await opened.settled()
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/plan`)
  await page.getByRole('region', { name: 'Subscribers' }).getByText('anna').first().waitFor()
  expect(await page.getByText('$20.00').count()).toBeGreaterThan(0)
  await opened.settled()
})

test('a code of a plan is redeemed in the wallet, without money', async () => {
  const codes = await site.root.call(createPlanCodes, { params: { id: 1 }, body: { count: 1 } })
  const bert = await addUser(site.gateway, { username: 'bert', wallet: 0 })
  await openAs(bert)
  await page.goto(`${site.gateway.url}/topup`)
  await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '')
  await button('Redeem').click()
  await page.getByText('Redeemed: Pro').waitFor()
  await page.getByRole('link', { name: 'See plans' }).click()
  await page.getByText('Your subscriptions').waitFor()
  await opened.settled()
})
