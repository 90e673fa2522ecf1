import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { createToken } from '#contract/tokens.ts'
import { addUser, USER_PASSWORD } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { openBrowser } from '../harness/browser.ts'
import { inDatabase } from '../harness/in-database.ts'
import { type OpenConsole, openConsole } from '../harness/open-console.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'

let gateway: RunningGateway
let browser: Browser
let anna: AdminClient
let key: string
let opened: OpenConsole
let page: Page

beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([startGateway(), openBrowser()])
  anna = await addUser(gateway, { username: 'anna', wallet: 1000 })
  await addUser(gateway, { username: 'bert', wallet: 1000 })
  ;({ key } = await anna.call(createToken, { body: { name: 'production', unlimited_quota: true } }))
})

afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

beforeEach(async () => {
  opened = await openConsole(browser, gateway)
  page = opened.page
})

afterEach(() => opened.close())

const press = (name: string, on = page) => on.getByRole('button', { name, exact: true }).click()

async function signIn(username: string, on = page, path = '/login'): Promise<void> {
  await on.goto(gateway.url + path)
  await fillIn(username, on)
}

async function fillIn(username: string, on = page): Promise<void> {
  await on.getByLabel('Username or email').fill(username)
  await on.getByLabel('Password', { exact: true }).fill(USER_PASSWORD)
  await press('Sign in', on)
  await on.waitForURL(url => url.pathname !== '/login')
  await on.getByRole('heading', { level: 1 }).waitFor()
}

/** As if every sign-in were long ago. */
const ageSessions = () =>
  inDatabase(gateway, db => db.updateTable('sessions').set({ authenticated_at: 1 }).execute())

describe('a session that signed in a while ago', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Confirm that it is you' })

  test('reveals a key after the password, and asks no second time', async () => {
    await signIn('anna')
    await ageSessions()
    await press('Show key of production')
    await dialog().getByRole('button', { name: 'Confirm' }).click()
    await dialog().getByText('Enter your password').waitFor()
    await dialog().getByLabel('Current password').fill('not the password')
    await page.keyboard.press('Enter')
    await dialog().getByText('the password is wrong').waitFor()
    await dialog().getByLabel('Current password').fill(USER_PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`sk-${key}`).waitFor()
    await page.goto(`${gateway.url}/setting`)
    await press('Generate access token')
    await page.getByRole('dialog').getByRole('button', { name: 'Generate access token' }).click()
    await page.getByText('The token is shown only once').waitFor()
  })

  test('keeps its secrets when the user declines', async () => {
    await signIn('anna')
    await ageSessions()
    await press('Show key of production')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Show key of production' }).count()).toBe(1)
    expect(await page.content()).not.toContain(key)
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
