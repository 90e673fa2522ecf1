import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type Site, startSite } from '../harness/start-site.ts'

let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

async function openWithWorker(): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext({ serviceWorkers: 'allow' })
  await context.addInitScript(`localStorage.setItem('language', 'en')`)
  const page = await context.newPage()
  await page.goto(`${site.gateway.url}/login`)
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  return { context, page }
}

test('a page that was never opened shows a page of ours without a network, and opens once the network is back', async () => {
  const { context, page } = await openWithWorker()
  await context.setOffline(true)
  await page.goto(`${site.gateway.url}/pricing`)
  await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
  expect(await page.getByText('无法连接到服务器').isVisible()).toBe(false)
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  await context.close()
})

test('the service worker answers nothing but navigations', async () => {
  const { context, page } = await openWithWorker()
  await page.reload()
  await context.setOffline(true)
  expect(await page.evaluate(`fetch('/api/status').then(() => 'answered', () => 'failed')`)).toBe('failed')
  await context.close()
})

test('a sheet whose code cannot be loaded says so, and opens after a reload', async () => {
  const opened = await openConsole(browser, site.gateway, { client: site.root })
  const code = '**/assets/tokens-sheet-*.js'
  await opened.page.route(code, route => route.abort())
  await opened.page.goto(`${site.gateway.url}/token?edit=new`)
  await opened.page.getByText('The page could not be loaded').waitFor()
  await opened.page.unroute(code)
  await opened.page.getByRole('button', { name: 'Reload' }).click()
  await opened.page.getByRole('dialog').getByLabel('Name').waitFor()
  await opened.close()
})

test('a screen whose code cannot be loaded says so and offers to reload', async () => {
  const opened = await openConsole(browser, site.gateway, { client: site.root })
  await opened.page.route('**/assets/log-page-*.js', route => route.abort())
  await opened.page.goto(`${site.gateway.url}/log`)
  await opened.page.getByText('The page could not be loaded').waitFor()
  await opened.page.getByRole('button', { name: 'Reload' }).waitFor()
  await opened.close()
})
