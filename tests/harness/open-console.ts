import type { Browser, Page } from 'playwright-core'
import { getSelf } from '#contract/users.ts'
import type { AdminClient } from './api-client.ts'
import type { Gateway } from './start-gateway.ts'

const STEP_TIMEOUT_MS = 20_000

/** How somebody looks at the console. */
export interface View {
  readonly language: 'zh' | 'en'
  readonly theme: 'light' | 'dark'
  readonly width: number
}

export const DESKTOP: View = { language: 'en', theme: 'light', width: 1440 }

/** Both languages, both themes, three widths. */
export const ALL_VIEWS: readonly View[] = (['zh', 'en'] as const).flatMap(language =>
  (['light', 'dark'] as const).flatMap(theme => [1440, 768, 390].map(width => ({ language, theme, width }))),
)

export interface OpenConsole {
  readonly page: Page
  /** What the browser complained about so far: script errors, refused resources, broken policies. */
  problems(): readonly string[]
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
  gateway: Gateway,
  { view = DESKTOP, client }: ConsoleOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext({
    viewport: { width: view.width, height: 900 },
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
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return { page, problems: () => problems, close: () => context.close() }
}

/** Only what is absent: what the page itself kept stays over a reload. */
const keepInStorage = (values: Readonly<Record<string, string>>): string =>
  `for (const [key, value] of Object.entries(${JSON.stringify(values)})) {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, value)
  }`

const cookiesOf = (gateway: Gateway, { cookie }: AdminClient) =>
  cookie.split('; ').map(pair => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('='), url: gateway.url }
  })
