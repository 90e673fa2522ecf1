import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { createToken } from '#contract/entities/token.ts'
import { addUser, USER_PASSWORD } from '../harness/add-user.ts'
import { openBrowser } from '../harness/browser.ts'
import { inDatabase } from '../harness/in-database.ts'
import { openConsole } from '../harness/open-console.ts'
import { findViolations } from '../harness/page-checks.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'

let gateway: RunningGateway
let browser: Browser
let key: string
/** One browser for all tests, whose cache keeps the console's files. */
let page: Page

beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([startGateway(), openBrowser()])
  const [anna, opened] = await Promise.all([
    addUser(gateway, { username: 'anna', wallet: 1000 }),
    openConsole(browser, gateway),
    addUser(gateway, { username: 'bert', wallet: 1000 }),
  ])
  page = opened.page
  ;({ key } = await anna.call(createToken, { body: { name: 'production', unlimited_quota: true } }))
})

afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

/** Removes the former test's session, as for a visitor who has never been here. */
beforeEach(async () => {
  await page.goto(`${gateway.url}/healthz`)
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  await page.context().clearCookies()
})

afterEach(async () => {
  const others = page
    .context()
    .pages()
    .filter(other => other !== page)
  await Promise.all(others.map(other => other.close()))
})

const press = (name: string, on = page) => on.getByRole('button', { name, exact: true }).click()

/** Signs in as a page does, without the page: the cookie and the user in local storage. */
async function signIn(username: string, on = page): Promise<void> {
  const credentials = { username, password: USER_PASSWORD }
  const response = await on.context().request.post(`${gateway.url}/api/user/login`, { data: credentials })
  const { data } = await response.json()
  await on.evaluate(user => localStorage.setItem('user', user), JSON.stringify(data))
}

async function fillIn(username: string, on = page): Promise<void> {
  await on.getByLabel('Username or email').fill(username)
  await on.getByLabel('Password', { exact: true }).fill(USER_PASSWORD)
  await press('Sign in', on)
  await on.waitForURL(url => url.pathname !== '/login')
}

const openTokens = (on = page) => on.goto(`${gateway.url}/token`)

/** As if every sign-in were long ago. */
const ageSessions = () =>
  inDatabase(gateway, db => db.updateTable('sessions').set({ authenticated_at: 1 }).execute())

describe('a session that signed in a while ago', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Confirm it is you' })

  test('reveals a key after the password, and asks no second time', async () => {
    await signIn('anna')
    await ageSessions()
    await openTokens()
    await press('Show key of production')
    await dialog().getByRole('button', { name: 'Confirm' }).click()
    await dialog().getByText('Enter your password').waitFor()
    expect(await findViolations(page)).toEqual([])
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
    await openTokens()
    await press('Show key of production')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Show key of production' }).count()).toBe(1)
    expect(await page.content()).not.toContain(key)
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describe('two tabs of one browser', () => {
  const KEYS_OF_ANNA = /production|sk-[A-Za-z0-9]{48}/
  let other: Page

  /** Both tabs show tokens of anna, the second one with a revealed key and an open sheet. */
  beforeEach(async () => {
    await signIn('anna')
    other = await page.context().newPage()
    await openTokens(other)
    await press('Show key of production', other)
    await other.getByText(`sk-${key}`).waitFor()
  })

  test('show nothing of the former user in either after another one signs in', async () => {
    await other.getByRole('button', { name: 'Edit production' }).click()
    await other.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('a plan of anna')
    await openTokens()
    await press('User menu')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await other.waitForURL('**/login?*')
    await other.getByText('You have been signed out. Sign in again.').waitFor()
    expect(await other.content()).not.toMatch(KEYS_OF_ANNA)

    await fillIn('bert')
    await other.waitForURL(url => url.pathname === '/token')
    await other.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor()
    await other.getByText('No tokens yet').waitFor()
    for (const tab of [page, other]) expect(await tab.content()).not.toMatch(KEYS_OF_ANNA)
    expect(await other.getByRole('dialog').count()).toBe(0)
    expect(await other.content()).not.toContain('a plan of anna')
  })

  test('drop caches, revealed keys and sheets when the signed-in user changes directly', async () => {
    await other.getByRole('button', { name: 'Edit production' }).click()
    await other.getByRole('dialog').waitFor()
    await signIn('bert')
    await other.getByText('No tokens yet').waitFor()
    expect(new URL(other.url()).search).toBe('')
    expect(await other.getByRole('dialog').count()).toBe(0)
    expect(await other.content()).not.toMatch(KEYS_OF_ANNA)
  })

  const pressNew = () => other.getByRole('button', { name: 'New token' }).first().click()

  test('keep a draft for its own user only when the session ends', async () => {
    await pressNew()
    await other.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('a plan of anna')
    await inDatabase(gateway, db => db.deleteFrom('sessions').execute())
    await other.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
    await other.waitForURL('**/login?*')
    await fillIn('bert', other)
    await other.getByText('No tokens yet').waitFor()
    expect(await other.getByRole('dialog').count()).toBe(0)
    await pressNew()
    const name = other.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    await name.waitFor()
    expect(await name.inputValue()).toBe('')
  })
})

test('a tab that missed a change of the user does not sign the new one out by a call', async () => {
  await signIn('anna')
  const other = await page.context().newPage()
  await other.addInitScript(`const listen = window.addEventListener
    window.addEventListener = (type, ...rest) => type === 'storage' || listen.call(window, type, ...rest)`)
  await openTokens(other)
  await other.getByRole('button', { name: 'Edit production' }).waitFor()
  await signIn('bert')
  await press('Refresh', other)
  await other.getByText('No tokens yet').waitFor()
  await openTokens()
  await page.getByText('No tokens yet').waitFor()
})
