import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { getInvitationCode, register } from '#features/account/contract.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { listSelfTopUps } from '#features/top-ups/contract.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, page, runFirst, site } from '../harness/describe-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { type EasyPay, startEasyPay } from '../harness/start-easy-pay.ts'

const DOLLAR = 500_000

let provider: EasyPay
let anna: AdminClient
let count = 0

describeConsole()

beforeAll(async () => {
  provider = startEasyPay()
  await setOptions(site.root, {
    ServerAddress: site.gateway.url,
    PayAddress: provider.url,
    EpayId: provider.merchant.id,
    EpayKey: provider.merchant.key,
    MinTopUp: 2,
    TopupGroupRatio: { default: 0.9 },
    QuotaForInviter: 3 * DOLLAR,
  })
})

afterAll(async () => {
  await provider?.stop()
})

beforeEach(async () => {
  count += 1
  anna = await addUser(site.gateway, { username: `anna${count}`, wallet: 10 * DOLLAR })
  await openAs(anna)
})

const balance = async () => (await anna.call(getSelf)).quota / DOLLAR

async function openWallet(): Promise<void> {
  await page.goto(`${site.gateway.url}/topup`)
  await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
}

test('shows no price before a quote and only prices of the group afterwards', async () => {
  const quotes = '**/api/user/amount*'
  await page.route(quotes, () => undefined)
  await openWallet()
  await page.getByRole('radio', { name: /\$20/ }).waitFor({ state: 'attached' })
  expect(await page.getByText('¥').count()).toBe(0)
  await page.unroute(quotes)
  await page.reload()
  await page.getByText('¥131.40').first().waitFor()
  await page.route(quotes, () => undefined)
  await page.getByLabel('Amount', { exact: true }).fill('30')
  await page.locator('[aria-live=polite] [aria-hidden]').waitFor()
  expect(await page.getByText('¥131.40').count()).toBe(1)
})

test('pays online with the price of the group, a provider window, a receipt and an order', async () => {
  await openWallet()
  await page.getByLabel('Amount', { exact: true }).fill('20')
  await page.getByText('¥131.40').last().waitFor()
  await page.getByText('The top-up ratio 0.9 of your group is included').waitFor()
  await page.getByRole('button', { name: 'Alipay' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('¥131.40').waitFor()
  const window = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Continue to payment' }).click()
  await (await window).getByRole('heading', { name: 'success' }).waitFor()

  await dialog.getByText('$20.00 has been credited').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('$30.00').first().waitFor()
  expect(await balance()).toBe(30)
  expect(provider.orders.at(-1)).toMatchObject({ type: 'alipay', money: '131.40' })
  await page.getByRole('button', { name: /Expand/ }).click()
  for (const step of [
    'Order created',
    'Sent to payment',
    'Payment notification received',
    'Balance credited',
  ])
    await page.getByText(step).waitFor()
})

test('opens the provider in the same window when popups are blocked', async () => {
  await runFirst('window.open = () => null')
  await openWallet()
  await page.getByRole('button', { name: 'WeChat' }).click()
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await page.waitForURL(`${provider.url}/**`)
  expect(provider.orders.at(-1)?.type).toBe('wxpay')
})

test('rejects an amount below the minimum and corrects 0 to 1', async () => {
  await openWallet()
  await page.getByLabel('Amount', { exact: true }).fill('0')
  await page.keyboard.press('Tab')
  expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('1')
  await page.getByText('The amount must be at least $2').waitFor()
  await page.getByRole('button', { name: 'Alipay' }).click()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('shows the price of the last input even if an earlier quote arrives later', async () => {
  await page.route('**/api/user/amount', async route => {
    if (route.request().postDataJSON().amount === 6) await Bun.sleep(800)
    await route.continue()
  })
  await openWallet()
  await page.getByLabel('Amount', { exact: true }).fill('6')
  await page.waitForRequest('**/api/user/amount')
  await page.getByLabel('Amount', { exact: true }).fill('10')
  await page.getByText('¥65.70').last().waitFor()
  await page.waitForTimeout(1000)
  expect(await page.locator('[aria-live=polite] .text-title').textContent()).toBe('¥65.70')
})

test('repeats the payment of an abandoned order without input', async () => {
  await page.context().route(`${provider.url}/**`, route => route.abort())
  await openWallet()
  await page.getByLabel('Amount', { exact: true }).fill('7')
  await page.getByRole('button', { name: 'Alipay' }).click()
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await page.getByText('Waiting for payment…').waitFor()
  await page.getByRole('button', { name: 'Check later' }).click()
  await page.getByRole('button', { name: /Pay again/ }).click()
  await page.getByRole('dialog').getByText('¥45.99').waitFor()
  expect((await anna.call(listSelfTopUps)).items[0]?.status).toBe('pending')
})

test('redeems a code once in any pasted format', async () => {
  const [code = ''] = await site.root.call(createRedemptions, { body: { quota: 5 * DOLLAR } })
  await openWallet()
  await page.getByRole('button', { name: 'Redeem' }).click()
  await page.getByText('Enter a code').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(`  ${code}\n`)
  await page.getByRole('button', { name: 'Redeem' }).click()
  await page.getByText('Redeemed: $5.00').waitFor()
  await page.getByText('$15.00').first().waitFor()
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.keyboard.press('Enter')
  await page.getByText('the code has been used').waitFor()
  expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe(code)
  expect(await balance()).toBe(15)
})

test('links to the shop for codes or reports that none is configured', async () => {
  await openWallet()
  await page.getByRole('button', { name: 'Get a code' }).click()
  await page.getByText('The super administrator has not set a top-up link').waitFor()
  await setOptions(site.root, { TopUpLink: 'https://shop.example/codes' })
  await openWallet()
  const link = page.getByRole('link', { name: 'Get a code' })
  expect(await link.getAttribute('href')).toBe('https://shop.example/codes')
})

test('transfers invitation rewards to the balance, at least one dollar', async () => {
  const aff_code = await anna.call(getInvitationCode)
  const body = { username: `guest${count}`, password: 'guest-of-anna', aff_code }
  await anna.call(register, { body })
  await openWallet()
  await page.getByText(`/register?aff=${aff_code}`).waitFor()
  await page.getByRole('button', { name: 'Move to balance' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Amount to move' }).fill('1')
  await dialog.getByRole('button', { name: 'Move to balance' }).click()
  await dialog.getByText('Move at least $1.00').waitFor()
  await dialog.getByRole('button', { name: 'All' }).click()
  await dialog.getByRole('button', { name: 'Move to balance' }).click()
  await page.getByText('Moved $3.00').waitFor()
  expect(await balance()).toBe(13)
})

test('reports that online top-up is disabled', async () => {
  await setOptions(site.root, { PayAddress: '' })
  await openWallet()
  await page.getByText('The administrator has not turned on online top-up').waitFor()
  expect(await page.getByRole('button', { name: 'Alipay' }).count()).toBe(0)
  await openAs(site.root)
  await openWallet()
  await page.getByRole('link', { name: 'Set up payment' }).click()
  await page.waitForURL('**/setting?tab=system&section=payment')
})

test('shows nothing about online top-up until the server reports its state', async () => {
  for (const call of ['**/api/status', '**/api/start']) await page.route(call, () => undefined)
  await openWallet()
  await page.getByRole('heading', { name: 'Top up online' }).waitFor()
  expect(await page.getByText('has not turned on').count()).toBe(0)
})

test('a printed bill names its issuer and its customer, without the console around it', async () => {
  await page.goto(`${site.gateway.url}/statement?view=bill`)
  const head = page.locator('article header')
  await head.waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await head.isVisible()).toBe(true)
  expect(await page.getByRole('banner').first().isVisible()).toBe(false)
  await page.emulateMedia({ media: null })
})
