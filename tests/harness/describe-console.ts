import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, Disposable, Page } from 'playwright-core'
import type { AdminClient } from './api-client.ts'
import { openBrowser } from './browser.ts'
import { DESKTOP, type OpenConsole, openConsole, type View } from './open-console.ts'
import type { GatewayOptions } from './start-gateway.ts'
import { type Site, startSite } from './start-site.ts'

/** The gateway and the lab of the file. */
export let site: Site
export let browser: Browser
/** The window that was opened last, and its page. */
export let opened: OpenConsole
export let page: Page

/** Windows by their view. Each serves all tests of the file: a new one costs more than most tests. */
const kept = new Map<string, OpenConsole>()
/** Windows and scripts of the test that runs. */
let ofTest: readonly OpenConsole[] = []
let scripts: readonly Disposable[] = []

interface ConsoleOptions extends GatewayOptions {
  /** The tests provoke problems, such as rejected requests. */
  readonly hasProblems?: boolean
}

/** Starts a gateway and a browser for the tests of a file. Each test must leave its window free of problems. */
export function describeConsole({ hasProblems = false, ...options }: ConsoleOptions = {}): void {
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(options), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
  })
  afterEach(async () => {
    const problems = hasProblems ? [] : [...opened.problems()]
    // A window that closes disposes of its scripts, and they cannot be disposed of twice.
    for (const script of scripts) await script.dispose()
    await Promise.all(ofTest.map(({ close }) => close()))
    ofTest = []
    scripts = []
    expect(problems).toEqual([])
  })
}

/** Shows a window as if it were new, in which somebody is signed in; undefined is a visitor. */
export async function openAs(client: AdminClient | undefined, view: View = DESKTOP): Promise<void> {
  const name = JSON.stringify(view)
  const former = kept.get(name)
  await former?.reset(client)
  opened = former ?? (await open(client, view))
  kept.set(name, opened)
  page = opened.page
}

/** Opens a window that closes after its test, which changes what lasts as long as a window, such as its clock. */
export async function openOnce(client: AdminClient | undefined, view: View = DESKTOP): Promise<void> {
  opened = await open(client, view)
  ofTest = [...ofTest, opened]
  page = opened.page
}

const open = (client: AdminClient | undefined, view: View) =>
  openConsole(browser, site.gateway, { view, ...(client && { client }) })

/** Runs a script in every document that the window loads during the test, before the scripts of the page. */
export async function runFirst(script: string): Promise<void> {
  scripts = [...scripts, await page.addInitScript(script)]
}
