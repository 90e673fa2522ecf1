import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { addUser } from '../harness/add-user.ts'
import { openBrowser } from '../harness/browser.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'gpt-4o-mini'
const DOLLAR = 500_000
const PASSWORD = 'long enough'

let site: Site
let browser: Browser
let windows: OpenConsole[] = []

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  await setOptions(site.root, { QuotaForNewUser: DOLLAR })
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

beforeEach(() => {
  windows = []
})

afterEach(async () => {
  for (const { problems, close } of windows) {
    expect(problems()).toEqual([])
    await close()
  }
})

async function openAs(client?: Parameters<typeof openConsole>[2]): Promise<Page> {
  const opened = await openConsole(browser, site.gateway, client)
  windows.push(opened)
  await opened.page.addInitScript(
    `Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text } } })`,
  )
  return opened.page
}

const copied = (page: Page) => page.evaluate<string>('window.copied')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const follow = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).last().click()

test('a user signs up, creates a token, calls a model and reads the charge in the log', async () => {
  const page = await openAs()
  await page.goto(site.gateway.url)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Username', { exact: true }).fill('newcomer')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat the password', { exact: true }).fill(PASSWORD)
  await press(page, 'Sign up')
  await page.waitForURL('**/login')
  await page.getByLabel('Username or email').fill('newcomer')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/token')

  await press(page, 'New token')
  await page.getByRole('dialog').getByLabel('Name').fill('my program')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Save your key' })
  await dialog.getByRole('button', { name: 'Copy · Key' }).click()
  const messages = [{ role: 'user', content: 'hello [lab: tokens-500]' }]
  const response = await callChat({
    url: site.gateway.url,
    key: (await copied(page)).replace(/^sk-/, ''),
    body: { model: MODEL, messages },
  })
  expect(response.status).toBe(200)
  await dialog.getByText('First request received').waitFor()
  await dialog.getByRole('button', { name: "I've saved this key" }).click()

  await follow(page, 'Log')
  const row = page.locator('tbody tr[data-row]', { hasText: MODEL })
  await row.getByText('my program').waitFor()
  await row.getByRole('link', { name: /^\d{4}-/ }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByText('7 × $0.15/1M × group 1').waitFor()
  await sheet.getByText('500 × $0.60/1M × group 1').waitFor()
  await sheet.getByText('$0.000302').first().waitFor()
})

test('an administrator creates a redemption code and sees who used it', async () => {
  const root = await openAs({ client: site.root })
  await root.goto(`${site.gateway.url}/redemption`)
  await press(root, 'New codes')
  await root.getByRole('dialog').getByLabel('Name').fill('welcome')
  await root.getByRole('dialog').getByRole('button', { name: '$10', exact: true }).click()
  await root.keyboard.press('Control+Enter')
  const made = root.getByRole('dialog', { name: /created/ })
  await made.getByRole('button', { name: /^Copy/ }).first().click()
  const code = (await copied(root)).trim()
  await made.getByRole('button', { name: 'Done' }).click()

  const friend = await addUser(site.gateway, { username: 'friend', wallet: DOLLAR })
  const page = await openAs({ client: friend })
  await page.goto(`${site.gateway.url}/topup`)
  await page.getByLabel('Code', { exact: true }).fill(code)
  await press(page, 'Redeem')
  await page.getByText('Redeemed: $10.00').waitFor()
  await page.getByText('$11.00').first().waitFor()

  await press(root, 'Refresh')
  const row = root.getByRole('row', { name: /welcome/ })
  await row.getByText('Used', { exact: true }).waitFor()
  await row.getByRole('link', { name: `Open user ${friend.userId}` }).waitFor()
})
