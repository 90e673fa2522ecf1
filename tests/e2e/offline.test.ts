import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

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

test('a sheet whose code cannot be loaded leaves the page as it is, and opens after a reload', async () => {
  const opened = await openConsole(browser, site.gateway, { client: site.root })
  const { page } = opened
  const code = '**/assets/tokens-sheet-*.js'
  await page.route(code, route => route.abort())
  await page.goto(`${site.gateway.url}/token?edit=new`)
  const message = page.getByRole('alert').filter({ hasText: 'Part of the page could not be loaded' })
  await message.waitFor()
  await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
  await page.unroute(code)
  await message.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  expect(await message.count()).toBe(0)
  await opened.close()
})

test('code that cannot be loaded early disturbs nobody until it is needed', async () => {
  const opened = await openConsole(browser, site.gateway, { client: site.root })
  const { page } = opened
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  const requested: string[] = []
  await page.route(/\/assets\/(tokens-sheet|logs-page)-.*\.js/, route => {
    requested.push(route.request().url())
    return route.abort()
  })
  await page.goto(`${site.gateway.url}/token`)
  await page.evaluate('window.isSameDocument = true')
  for (const [opener, count] of [
    [page.getByRole('button', { name: 'New token' }).first(), 1],
    [page.getByRole('link', { name: 'Log', exact: true }), 2],
  ] as const) {
    await opener.hover()
    await waitUntil(
      { description: 'the failed load', timeoutMs: 20_000 },
      async () => requested.length >= count,
    )
  }
  await opened.settled()
  expect(errors).toEqual([])
  expect(await page.evaluate('window.isSameDocument')).toBe(true)
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByText('Part of the page could not be loaded').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
  await opened.close()
})

test('a screen whose code cannot be loaded says so and offers to reload', async () => {
  const opened = await openConsole(browser, site.gateway, { client: site.root })
  await opened.page.route('**/assets/logs-page-*.js', route => route.abort())
  await opened.page.goto(`${site.gateway.url}/log`)
  await opened.page.getByText('The page could not be loaded').waitFor()
  await opened.page.getByRole('button', { name: 'Reload' }).waitFor()
  await opened.close()
})
