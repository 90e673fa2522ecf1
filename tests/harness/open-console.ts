import type { Browser, BrowserContext, Disposable, Page, Request } from 'playwright-core'
import { getSelf } from '#contract/entities/user.ts'
import type { AdminClient } from './api-client.ts'
import type { RunningGateway } from './start-gateway.ts'
import { waitUntil } from './wait-until.ts'

const STEP_TIMEOUT_MS = 60_000

/** Settings of a browser window. */
export interface View {
  readonly language: 'zh' | 'en'
  readonly theme: 'light' | 'dark'
  readonly width: number
  /** Emulates a touch screen. */
  readonly isTouch?: boolean
}

export const DESKTOP: View = { language: 'en', theme: 'light', width: 1440 }

/** The page opens at the first width and is then resized, which is ten times cheaper than a new page per width. */
interface ViewVariant extends Omit<View, 'width'> {
  readonly widths: readonly [number, ...number[]]
}

/** Both languages and both themes, each at every width: a theme changes colours, a language the length of texts. */
export const VIEW_VARIANTS: readonly ViewVariant[] = [
  { language: 'zh', theme: 'light', widths: [1440, 768, 390] },
  { language: 'en', theme: 'dark', widths: [390, 768, 1440] },
]

export interface OpenConsole {
  readonly page: Page
  /** Script errors, failed resources and policy violations so far. */
  problems(): readonly string[]
  /** Goes to an address as a link does, without loading the console again, which takes ten times as long. */
  visit(path: string): Promise<void>
  /** Waits until the page has a heading, no pending requests and no busy regions. */
  settled(): Promise<void>
  /**
   * Makes the window what a new one would be, for the same or another user, at half the price: compiled code stays.
   * What lasts as long as a window stays, too: its clock, media and scripts that tests added.
   */
  reset(client?: AdminClient): Promise<void>
  close(): Promise<void>
}

interface ConsoleOptions {
  readonly view?: View
  /** Signed-in user. Absent: a visitor. */
  readonly client?: AdminClient
}

/** Opens a window with its own cookies and storage. The caller navigates to `gateway.url`. */
export async function openConsole(
  browser: Browser,
  gateway: RunningGateway,
  { view = DESKTOP, client }: ConsoleOptions = {},
): Promise<OpenConsole> {
  const viewport = { width: view.width, height: 900 }
  const context = await browser.newContext({
    // A service worker would make requests that tests cannot see.
    serviceWorkers: 'block',
    viewport,
    ...(view.isTouch && { hasTouch: true, isMobile: true }),
    reducedMotion: 'reduce',
    colorScheme: view.theme,
  })
  await context.addInitScript(
    keepInStorage({ language: view.language, 'theme-mode': view.theme }) + CATCH_COPIES,
  )
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  let user = await signInto(context, gateway, client)
  const page = await context.newPage()
  const untilQuiet = followRequests(page)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return {
    page,
    problems: () => problems,
    async visit(path) {
      if (page.url().startsWith(gateway.url)) await page.evaluate(`history.pushState(null, '', '${path}')`)
      else await page.goto(gateway.url + path)
    },
    settled: untilQuiet,
    async reset(client) {
      await Promise.all(context.pages().map(other => other !== page && other.close()))
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      await user?.dispose()
      // Storage belongs to the address. Nothing of the console runs on this page, so nothing is stored afterwards.
      await page.goto(`${gateway.url}/readyz`)
      await page.evaluate('localStorage.clear(), sessionStorage.clear()')
      await context.clearCookies()
      user = await signInto(context, gateway, client)
      await page.setViewportSize(viewport)
      problems.length = 0
    },
    close: () => context.close(),
  }
}

/** Signs a user in for every page of a window that loads from now on, until the result is disposed of. */
async function signInto(
  context: BrowserContext,
  gateway: RunningGateway,
  client: AdminClient | undefined,
): Promise<Disposable | undefined> {
  if (!client) return undefined
  await context.addCookies(cookiesOf(gateway, client))
  return context.addInitScript(keepInStorage({ user: JSON.stringify(await client.call(getSelf)) }))
}

/** What a page copies is found in `window.copied`: headless browsers have no clipboard that tests could read. */
const CATCH_COPIES = `
  window.copied = ''
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async text => { window.copied = text } },
  })`

/** Sets only absent keys, so that a reload keeps what the page stored. Frames may have no storage. */
const keepInStorage = (values: Readonly<Record<string, string>>): string =>
  `if (window === top) for (const [key, value] of Object.entries(${JSON.stringify(values)})) {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, value)
  }`

const cookiesOf = (gateway: RunningGateway, { cookie }: AdminClient) =>
  cookie.split('; ').map(pair => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('='), url: gateway.url }
  })

const QUIET_TIMEOUT_MS = 60_000
/** A response is rendered in one frame, and requests that follow from it start in the next. */
const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
/** Asked every 25 ms, since Playwright's own wait for a heading would ask only every half a second in the end. */
const IS_SHOWN = `document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null`

/** Tracks the requests of a page. Returns a function that waits until it has a heading, none is pending and no region is busy. */
function followRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  page.on('request', request => pending.add(request))
  page.on('requestfinished', request => pending.delete(request))
  page.on('requestfailed', request => pending.delete(request))
  const isQuiet = async () => {
    await page.evaluate(TWO_FRAMES)
    return pending.size === 0 && (await page.evaluate<boolean>(IS_SHOWN))
  }
  return async () => {
    await waitUntil(
      { description: `the page ${page.url()} to be quiet`, timeoutMs: QUIET_TIMEOUT_MS },
      async () => (await isQuiet()) && (await isQuiet()),
    )
  }
}
