import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { findPoorContrast, findViolations } from '../harness/page-checks.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { buildSite } from './site.ts'

const FIRST_PAGE_KB_MAX = 150
const KILOBYTE = 1000

let gateway: RunningGateway
let browser: Browser
beforeAll(async () => {
  await buildSite()
  ;[gateway, browser] = await Promise.all([startGateway(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

async function open(path: string) {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  const protocol = await context.newCDPSession(page)
  await protocol.send('Network.enable')
  const sizes: number[] = []
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
  await page.goto(gateway.url + path, { waitUntil: 'networkidle' })
  return { page, problems, kilobytes: () => sizes.reduce((sum, size) => sum + size, 0) / KILOBYTE }
}

test('the first page takes at most 150 KB, and its scripts run under the policy', async () => {
  const { page, problems, kilobytes } = await open('/docs')
  expect(new URL(page.url()).pathname).toBe('/docs/')
  expect(kilobytes()).toBeGreaterThan(0)
  expect(kilobytes()).toBeLessThanOrEqual(FIRST_PAGE_KB_MAX)
  expect(problems).toEqual([])
  await page.context().close()
})

test.each([
  '/docs/',
  '/docs/guides/getting-started',
  '/docs/reference/configuration',
  '/docs/zh/guides/troubleshooting',
])('%s has no accessibility violations in both themes', async path => {
  const { page, problems } = await open(path)
  expect(await findViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html.dark').waitFor()
  expect(await findPoorContrast(page, 'body')).toEqual([])
  expect(problems).toEqual([])
  await page.context().close()
})

async function search(page: Page, words: string): Promise<string | null> {
  await page.locator('#local-search button').click()
  await page.locator('#localsearch-input').fill(words)
  const first = page.locator('.VPLocalSearchBox .result').first()
  await first.waitFor()
  return first.getAttribute('href')
}

test.each([
  ['/docs/', 'TRUSTED_PROXIES', /^\/docs\/(?!zh)/],
  ['/docs/zh/', '账户', /^\/docs\/zh\//],
  ['/docs/zh/', '换码', /^\/docs\/zh\/guides\/payment/],
])('the search of %s finds a page by %s, a part of its text', async (path, words, expected) => {
  const { page } = await open(path)
  expect(await search(page, words)).toMatch(expected)
  await page.context().close()
})

test('twins and llms.txt are served as text, and a page that does not exist as 404', async () => {
  const typeOf = async (path: string) => {
    const { status, headers } = await fetch(gateway.url + path)
    return [status, headers.get('content-type')]
  }
  expect(await typeOf('/docs/guides/getting-started.md')).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(await typeOf('/docs/llms.txt')).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await typeOf('/docs/nothing/here')).toEqual([404, 'text/html; charset=utf-8'])
})
