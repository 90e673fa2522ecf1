import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminClient } from './api-client.ts'
import { openBrowser } from './browser.ts'
import { type OpenConsole, openConsole, type View } from './open-console.ts'
import type { GatewayOptions } from './start-gateway.ts'
import { type Site, startSite } from './start-site.ts'

/** The gateway and the lab of the file. */
export let site: Site
export let browser: Browser
/** The window that `openAs` opened last, and its page. */
export let opened: OpenConsole
export let page: Page

/** Starts a gateway and a browser for the tests of a file, and closes each window after its test, which must be free of problems. */
export function describeConsole(options: GatewayOptions = {}): void {
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(options), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
  })
  afterEach(async () => {
    expect(opened.problems()).toEqual([])
    await opened.close()
  })
}

/** Opens a window in which somebody is signed in; undefined is a visitor. The former window closes. */
export async function openAs(client: AdminClient | undefined, view?: View): Promise<void> {
  await opened?.close()
  opened = await openConsole(browser, site.gateway, { ...(client && { client }), ...(view && { view }) })
  page = opened.page
}
