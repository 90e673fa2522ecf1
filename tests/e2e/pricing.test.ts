import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { DESKTOP } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'

const MODELS = ['claude-of-test', 'gpt-of-test', 'gpt-old', 'mj_imagine']
const MANY = 600
/** How far beside the middle of a thing a finger may come down, in px. */
const FINGER_OFF = 18

let anna: AdminClient

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, {
    GroupRatio: { default: 1, vip: 0.5, hidden: 9 },
    UserUsableGroups: { default: 'everybody', vip: 'better' },
    ModelRatio: { 'gpt-of-test': 1.25, 'gpt-old': 5, 'claude-of-test': 1.5, 'gpt-of-vip': 1 },
    CompletionRatio: { 'gpt-of-test': 4, 'gpt-old': 2, 'claude-of-test': 5 },
    CacheRatio: { 'gpt-of-test': 0.05 },
    ModelPrice: { mj_imagine: 0.1 },
  })
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: MODELS,
    draft: { group: 'default,vip,hidden' },
  })
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: ['gpt-of-vip'],
    draft: { group: 'vip' },
  })
  anna = await addUser(site.gateway, { username: 'anna', wallet: 1 })
})

beforeEach(() => openAs(undefined))

/** Not by role: an address may open a sheet, and what is behind it has no role any more. */
async function openPricing(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/pricing${search}`)
  await page.locator('h1', { hasText: 'Pricing' }).waitFor()
  await page.locator('tbody tr').first().waitFor()
}

const names = () => page.locator('tbody tr td:nth-child(2) button').allInnerTexts()
const row = (name: string) => page.getByRole('row', { name })

test('shows visitors the prices of the default group, by the formula of the specification', async () => {
  await openPricing()
  await page.getByText('You are not signed in. Prices are those of the default group, ratio 1.').waitFor()
  await page.getByText(/Cost in dollars = .* \/ 500,000/).waitFor()
  expect(await names()).toEqual(
    ['gpt-of-test', 'gpt-old', 'gpt-of-vip', 'claude-of-test', 'mj_imagine'].toSorted(byFirst),
  )
  expect(await row('gpt-of-test').innerText()).toMatch(/\$2\.50\s+\$10\.00\s+\$0\.125\s+\$2\.50/)
  expect(await row('mj_imagine').innerText()).toContain('$0.10 per call')
})

const byFirst = (a: string, b: string): number =>
  Number(b.startsWith('gpt')) - Number(a.startsWith('gpt')) || a.localeCompare(b)

test('recalculates prices for a usable group and no other', async () => {
  await openAs(anna)
  await openPricing()
  await page.getByText('Your group is default, with ratio 1.').waitFor()
  expect(await row('gpt-of-vip').innerText()).toContain('Not available in this group')
  expect(await page.getByRole('button', { name: /^hidden/ }).count()).toBe(0)
  await row('gpt-of-test').getByRole('button', { name: /^vip/ }).click()
  await page.waitForURL('**/pricing?group=vip')
  expect(await row('gpt-of-test').innerText()).toMatch(/\$1\.25\s+\$5\.00/)
  expect(await row('gpt-of-vip').innerText()).toContain('Available')
})

test('searches, filters and sorts, and keeps all of it in the URL', async () => {
  await openPricing('?q=gpt')
  expect((await names()).length).toBe(3)
  await page.getByRole('button', { name: /Output/ }).click()
  await page.getByRole('button', { name: 'Ratios' }).click()
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  expect((await names())[0]).not.toBe('')
  expect(new URL(page.url()).search).toContain('unit=ratio')
  expect(await row('gpt-old').innerText()).toMatch(/\s5\s+2\s/)
  await openPricing('?kind=call')
  expect(await names()).toEqual(['mj_imagine'])
  await openPricing('?provider=Anthropic')
  expect(await names()).toEqual(['claude-of-test'])
})

test('shows facets with counts beside the list on wide windows', async () => {
  await openPricing()
  const provider = page
    .getByRole('complementary', { name: 'Filters' })
    .getByRole('region', { name: 'Provider' })
  await provider.getByRole('button', { name: /^Anthropic\s*1$/ }).click()
  await page.waitForURL('**/pricing?provider=Anthropic')
  expect(await names()).toEqual(['claude-of-test'])
  await page.setViewportSize({ width: 1100, height: 900 })
  await page.getByRole('complementary', { name: 'Filters' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Provider: Anthropic' }).waitFor()
})

test('copies the names of selected models and compares a few', async () => {
  await openPricing()
  for (const name of ['gpt-of-test', 'claude-of-test']) await row(name).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Copy selected' }).click()
  expect(await page.evaluate<string>('window.copied')).toBe('gpt-of-test,claude-of-test')
  await page.getByRole('button', { name: /Compare/ }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('row', { name: /^Output/ }).innerText()).toMatch(
    /\$15\.00.*\$10\.00|\$10\.00.*\$15\.00/,
  )
})

test('opens a model by URL with group prices, an example, code and a link to try it', async () => {
  await openAs(anna)
  await openPricing('?model=gpt-of-test&group=vip')
  const sheet = page.getByRole('dialog')
  expect(await sheet.getByRole('row', { name: /^vip/ }).innerText()).toMatch(/\$1\.25\s+\$5\.00/)
  await sheet.getByText('$0.00375').waitFor()
  await sheet.getByText(/"model": "gpt-of-test"/).waitFor()
  await sheet.getByRole('link', { name: 'Try in the playground' }).click()
  await page.waitForURL('**/playground?model=gpt-of-test&group=vip')
})

test('shows the same models as cards', async () => {
  await openPricing()
  await page.getByRole('button', { name: 'Cards' }).click()
  await page.getByRole('button', { name: 'Prices of gpt-of-test' }).click()
  await page.getByRole('dialog').waitFor()
})

test('opens a card when touched beside its name', async () => {
  await openAs(undefined, { ...DESKTOP, width: 390, isTouch: true })
  await page.goto(`${site.gateway.url}/pricing`)
  const name = page.getByRole('button', { name: 'Prices of gpt-of-test' })
  await name.waitFor()
  const { x = 0, y = 0, height = 0 } = (await name.boundingBox()) ?? {}
  await page.touchscreen.tap(x + FINGER_OFF, y + height / 2 + FINGER_OFF)
  await page.getByRole('dialog').waitFor()
})

test('stays fast with hundreds of models', async () => {
  const models = Array.from({ length: MANY }, (_, index) => `gpt-many-${index}`)
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(name => [name, 1])) })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models })
  await openPricing('?size=100')
  expect(await page.locator('tbody tr').count()).toBe(100)
  const startedAt = performance.now()
  await page.getByRole('searchbox', { name: 'Search models' }).fill('many-599')
  await page.getByRole('searchbox', { name: 'Search models' }).press('Enter')
  await page.waitForURL('**q=many-599**')
  await row('gpt-many-599').waitFor()
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

describe('missing prices', () => {
  const PRICES = '**/api/pricing*'

  test('show the load error with a retry instead of ratios or an empty list', async () => {
    await page.route(PRICES, route => route.fulfill({ status: 500, body: '{}' }))
    await page.goto(`${site.gateway.url}/pricing`)
    await page.getByText('Could not load').waitFor()
    expect(await page.getByText(/ratio 1|No matches/).count()).toBe(0)
    expect(opened.problems()).toHaveLength(1)
    await page.unroute(PRICES)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(/default group, ratio 1/).waitFor()
    await openAs(undefined)
  })

  test('are not shown as ratio 1 while they load', async () => {
    await page.route(PRICES, () => undefined)
    await page.goto(`${site.gateway.url}/pricing`)
    await page.getByText(/Cost in dollars/).waitFor()
    expect(await page.getByText(/ratio 1|No matches/).count()).toBe(0)
  })
})
