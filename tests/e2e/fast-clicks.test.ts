import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { openBrowser } from '../harness/browser.ts'
import { addToken } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

/** Limits do not apply to this machine, so the calls come from elsewhere, through a proxy. */
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.7' }
/** The environment sets longer walks. */
const WALK_MS = Number(process.env.WALK_SECONDS ?? 5) * 1000
/** For what comes before and after a walk, on a busy machine. */
const SETTLING_MS = 240_000

setDefaultTimeout(WALK_MS + SETTLING_MS)

let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([
    startSite({ environment: { TRUSTED_PROXIES: '127.0.0.1' } }),
    openBrowser(),
  ])
  await addToken(site.root, { name: 'shown' })
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

async function openElsewhere(client: AdminClient): Promise<OpenConsole & { readonly statuses: number[] }> {
  const opened = await openConsole(browser, site.gateway, { client })
  await opened.page.context().setExtraHTTPHeaders(ELSEWHERE)
  const statuses: number[] = []
  opened.page.on('response', response => statuses.push(response.status()))
  return { ...opened, statuses }
}

/** Clicks every link of the sidebar one after the other, without waiting for any page. Returns how many. */
const CLICK_ALL = `(async () => {
  const linkTo = href => document.querySelector(\`nav[aria-label="Main navigation"] a[href="\${href}"]\`)
  const links = [...document.querySelectorAll('nav[aria-label="Main navigation"] a[href^="/"]')]
  for (const href of links.map(link => link.getAttribute('href'))) {
    if (!href.startsWith('/chat')) linkTo(href)?.click()
    await new Promise(done => setTimeout(done, 40))
  }
  return links.length
})()`

test('somebody who clicks as fast as possible is never refused and never sees an empty page', async () => {
  const opened = await openElsewhere(site.root)
  const { page, statuses } = opened
  await page.goto(`${site.gateway.url}/detail`)
  await opened.settled()
  const end = performance.now() + WALK_MS
  let clicks = 0
  while (performance.now() < end) {
    clicks += await page.evaluate<number>(CLICK_ALL)
    await page.locator('h1').first().waitFor()
    expect(await page.locator('main').innerText()).not.toBe('')
  }
  await opened.settled()
  expect(clicks).toBeGreaterThan(WALK_MS / 400)
  expect(statuses.filter(status => status >= 400)).toEqual([])
  expect(await page.getByRole('alert').count()).toBe(0)
  await opened.close()
})

test('a page opens with one call for status, announcement and account, and asks for nothing twice', async () => {
  const opened = await openElsewhere(site.root)
  const calls: string[] = []
  opened.page.on('request', request => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(pathname + search)
  })
  for (const path of ['/detail', '/log', '/channel', '/token', '/user', '/topup', '/setting']) {
    calls.length = 0
    await opened.page.goto(site.gateway.url + path)
    await opened.settled()
    expect(calls.filter(call => /^\/api\/(start|status|notice|user\/self)$/.test(call))).toEqual([
      '/api/start',
    ])
    expect([path, calls.filter((call, index) => calls.indexOf(call) !== index)]).toEqual([path, []])
  }
  await opened.close()
})

/** Spends a budget as fast as it comes back, until what is awaited has come. */
async function spendUntil(awaited: Promise<unknown>, spend: () => Promise<unknown>): Promise<void> {
  let isOver = false
  const end = awaited.finally(() => {
    isOver = true
  })
  while (!isOver) await Promise.race([spend(), end])
  await end
}

test('a page whose budget is spent waits and shows its data instead of an error', async () => {
  await setOptions(site.root, { CallBudgetPerMinute: '300' })
  const anna = await addUser(site.gateway, { username: 'anna', wallet: 0 })
  const headers = { ...ELSEWHERE, cookie: anna.cookie, 'new-api-user': String(anna.userId) }
  const spend = () => fetch(`${site.gateway.url}/api/log/self/stat`, { headers })
  const spent = await Promise.all(Array.from({ length: 80 }, spend))
  expect(spent.some(response => response.status === 429)).toBe(true)
  const opened = await openElsewhere(anna)
  const { page, statuses } = opened
  const isWaiting = page.getByText('Continuing in a moment').waitFor()
  const isOpen = page.goto(`${site.gateway.url}/log`)
  await spendUntil(isWaiting, spend)
  await isOpen
  await page
    .locator('main')
    .getByText(/no requests/i)
    .waitFor()
  await page.getByText('Continuing in a moment').waitFor({ state: 'detached' })
  expect(statuses).toContain(429)
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  await opened.close()
})
