import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const REQUESTS_MAX = 40
const KILOBYTE = 1000
/** What a page loads once it has been quiet for two seconds, which is after its first load. */
const LOADED_WHEN_IDLE = /\/assets\/palette-/

let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

test.each([
  ['/login', 163],
  ['/detail', 200],
  ['/log', 200],
  ['/channel', 200],
  ['/token', 200],
  ['/setting', 200],
])('%s works after at most 40 requests and %d KB without a cache', async (path, kilobytes) => {
  const opened = await openConsole(browser, site.gateway, path === '/login' ? {} : { client: site.root })
  const protocol = await opened.page.context().newCDPSession(opened.page)
  await protocol.send('Network.enable')
  const sizes: number[] = []
  const requests = new Set<string>()
  let isIdle = false
  protocol.on('Network.requestWillBeSent', ({ requestId, request }) => {
    isIdle ||= LOADED_WHEN_IDLE.test(request.url)
    if (!isIdle) requests.add(requestId)
  })
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) sizes.push(encodedDataLength)
  })
  await opened.page.goto(site.gateway.url + path)
  await opened.settled()
  expect(opened.problems()).toEqual([])
  expect(sizes.length).toBeLessThanOrEqual(REQUESTS_MAX)
  expect(sizes.reduce((sum, size) => sum + size, 0) / KILOBYTE).toBeLessThanOrEqual(kilobytes)
  await opened.close()
})
