import type { Browser, Page, Request } from 'playwright-core'
import { getSelf } from '#contract/accounts/users.ts'
import type { AdminClient } from './api-client.ts'
import type { RunningGateway } from './start-gateway.ts'
import { waitUntil } from './wait-until.ts'

const STEP_TIMEOUT_MS = 20_000

/** How somebody looks at the console. */
export interface View {
  readonly language: 'zh' | 'en'
  readonly theme: 'light' | 'dark'
  readonly width: number
  /** With a finger instead of a mouse. */
  readonly isTouch?: boolean
}

export const DESKTOP: View = { language: 'en', theme: 'light', width: 1440 }

/** A page is opened at the first width and then resized to the others, which costs a tenth of opening it again. */
interface ViewVariant extends Omit<View, 'width'> {
  readonly widths: readonly [number, ...number[]]
}

/** Both languages, both themes, three widths; every width is the one that a page is opened at. */
export const VIEW_VARIANTS: readonly ViewVariant[] = [
  { language: 'zh', theme: 'light', widths: [1440, 768, 390] },
  { language: 'zh', theme: 'dark', widths: [390, 768, 1440] },
  { language: 'en', theme: 'light', widths: [768, 390, 1440] },
  { language: 'en', theme: 'dark', widths: [390, 1440, 768] },
]

export interface OpenConsole {
  readonly page: Page
  /** What the browser complained about so far: script errors, refused resources, broken policies. */
  problems(): readonly string[]
  /** Waits until the page has its heading, asks for nothing more, and has drawn what it got. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface ConsoleOptions {
  readonly view?: View
  /** Already signed in as this person. Absent: a visitor. */
  readonly client?: AdminClient
}

/** Opens a window of its own, with its own cookies and storage. Nothing is loaded yet: go to `gateway.url`. */
export async function openConsole(
  browser: Browser,
  gateway: RunningGateway,
  { view = DESKTOP, client }: ConsoleOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext({
    viewport: { width: view.width, height: 900 },
    ...(view.isTouch && { hasTouch: true, isMobile: true }),
    reducedMotion: 'reduce',
    colorScheme: view.theme,
  })
  await context.addInitScript(keepInStorage({ language: view.language, 'theme-mode': view.theme }))
  if (client) {
    await context.addCookies(cookiesOf(gateway, client))
    await context.addInitScript(keepInStorage({ user: JSON.stringify(await client.call(getSelf)) }))
  }
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
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
    async settled() {
      await page.locator('h1').first().waitFor()
      await untilQuiet()
    },
    close: () => context.close(),
  }
}

/** Only what is absent: what the page itself kept stays over a reload. */
const keepInStorage = (values: Readonly<Record<string, string>>): string =>
  `for (const [key, value] of Object.entries(${JSON.stringify(values)})) {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, value)
  }`

const cookiesOf = (gateway: RunningGateway, { cookie }: AdminClient) =>
  cookie.split('; ').map(pair => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('='), url: gateway.url }
  })

const QUIET_TIMEOUT_MS = 30_000
/** What an answer changes is drawn in one frame, and what that asks for is asked for in the next. */
const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
const IS_BUSY = `document.querySelector('[aria-busy=true]') !== null`

/** Counts a page's requests from now on. Gives what waits until none is under way and nothing says that it is busy. */
function followRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  page.on('request', request => pending.add(request))
  page.on('requestfinished', request => pending.delete(request))
  page.on('requestfailed', request => pending.delete(request))
  const isQuiet = async () => {
    await page.evaluate(TWO_FRAMES)
    return pending.size === 0 && !(await page.evaluate<boolean>(IS_BUSY))
  }
  return async () => {
    await waitUntil(
      { description: `the page ${page.url()} to be quiet`, timeoutMs: QUIET_TIMEOUT_MS },
      async () => (await isQuiet()) && (await isQuiet()),
    )
  }
}
