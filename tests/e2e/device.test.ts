import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { listTokens } from '#contract/entities/token.ts'
import { openBrowser } from '../harness/browser.ts'
import { DESKTOP, openConsole, type View } from '../harness/open-console.ts'
import { findChinese, findViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const PHONE: View = { language: 'zh', theme: 'dark', width: 390 }

let site: Site
let browser: Browser
beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, { DeviceSignInEnabled: true })
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

async function post(path: string, form: Record<string, string> = {}) {
  const response = await fetch(site.gateway.url + path, { method: 'POST', body: new URLSearchParams(form) })
  return response.json()
}

const start = () => post('/oauth/device_authorization')
const poll = (device_code: string) => post('/oauth/token', { grant_type: GRANT, device_code })

test('a link shows who asks and allows nothing before the button is pressed', async () => {
  const { page, settled, problems, close } = await openConsole(browser, site.gateway, { client: site.root })
  const { device_code, user_code, verification_uri_complete } = await start()
  await page.goto(verification_uri_complete)
  await page.getByText(user_code, { exact: true }).waitFor()
  await settled()
  expect(await findViolations(page)).toEqual([])
  expect(await findChinese(page)).toEqual([])
  expect((await poll(device_code)).error).toBe('authorization_pending')
  await page.getByLabel('Name of the token').fill('Laptop')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('The program may sign in').waitFor()
  expect((await poll(device_code)).access_token).toMatch(/^sk-/)
  const [token] = await site.root.call(listTokens, { query: { p: 0 } })
  expect(token).toMatchObject({ name: 'Laptop' })
  expect(problems()).toEqual([])
  await close()
})

test('a typed code is denied on a phone, and a wrong one is explained', async () => {
  const { page, settled, close } = await openConsole(browser, site.gateway, {
    client: site.root,
    view: PHONE,
  })
  const { device_code, user_code } = await start()
  await page.goto(`${site.gateway.url}/device`)
  const code = page.getByLabel('代码')
  await code.fill('BBBBBBBB')
  await page.getByRole('button', { name: '继续' }).click()
  await page.getByText('设备码不存在').waitFor()
  await page.getByLabel('代码').fill(user_code.toLowerCase())
  await page.getByRole('button', { name: '继续' }).click()
  await page.getByText(user_code, { exact: true }).waitFor()
  await settled()
  expect(await findViolations(page)).toEqual([])
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  await page.getByRole('button', { name: '拒绝' }).click()
  await page.getByText('已拒绝登录').waitFor()
  expect((await poll(device_code)).error).toBe('access_denied')
  await close()
})

test('a visitor signs in first and comes back to the code', async () => {
  const { page, close } = await openConsole(browser, site.gateway, { view: DESKTOP })
  const { user_code, verification_uri_complete } = await start()
  await page.goto(verification_uri_complete)
  await page.getByLabel('Username').fill('root')
  await page.getByLabel('Password', { exact: true }).fill(site.gateway.rootPassword)
  await page.keyboard.press('Enter')
  await page.getByText(user_code, { exact: true }).waitFor()
  await close()
})
