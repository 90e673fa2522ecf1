import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'

let gateway: RunningGateway
let browser: Browser

beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([startGateway(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

test('sends a visitor to the login and back to the requested page', async () => {
  const { page, close } = await openConsole(browser, gateway)
  await page.goto(`${gateway.url}/token`)
  await page.waitForURL('**/login?*')

  const password = page.getByLabel('Password', { exact: true })
  expect(await page.getByLabel('Username or email').getAttribute('autocomplete')).toBe('username')
  expect(await password.getAttribute('autocomplete')).toBe('current-password')
  expect(await password.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: 'Show' }).click()
  expect(await password.getAttribute('type')).toBe('text')

  await page.getByLabel('Username or email').fill('root')
  await password.fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(new URL(page.url()).pathname).toBe('/login')

  await password.fill(gateway.rootPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/token')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await close()
})
