import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Screen } from '../../console/app/router/define-screen.ts'
import { openBrowser } from '../harness/browser.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openConsole, VIEW_VARIANTS } from '../harness/open-console.ts'
import { findChinese, findViolations } from '../harness/page-checks.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'gpt-4o-mini'
const HEIGHT = 900
/** What operators write is in their language. */
const ENGLISH_DATA = {
  Chats: JSON.stringify([{ Chat: 'https://chat.example/#{key}' }]),
  UserUsableGroups: { default: 'Everybody', vip: 'Friends' },
}
/** Shown in development only, so the built console does not have it. */
const NOT_BUILT = ['/dev/kit']

const screens = await Promise.all(
  readdirSync(join(PROJECT, 'console', 'screens')).map(async name => {
    const { screen }: { screen: Screen } = await import(
      join(PROJECT, 'console', 'screens', name, 'index.tsx')
    )
    return screen
  }),
)

let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, ENGLISH_DATA)
  await addLabChannel(site.root, site.lab, { vendor: 'openai', models: [MODEL] })
  const { key } = await addToken(site.root)
  const { url } = site.gateway
  for (const content of ['hello', 'hello [lab: tokens-500]', 'hello [lab: context-length]'])
    await callChat({ url, key, body: { model: MODEL, messages: [{ role: 'user', content }] } })
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

/** Pages before sign-in are seen by visitors. */
const pages = screens
  .filter(({ path }) => !NOT_BUILT.includes(path))
  .map(({ path, layout }) => [path, layout === 'bare'] as const)
const more = ['/setting?tab=operation', '/setting?tab=system', '/setting?tab=other', '/no-such-page']

describe.each([...pages, ...more.map(path => [path, false] as const)])('screen %s', (path, isForVisitors) => {
  test.each(VIEW_VARIANTS)('is accessible and fits every width: $language $theme', async walk => {
    const { language, theme, widths } = walk
    const view = { language, theme, width: widths[0] }
    const client = isForVisitors ? {} : { client: site.root }
    const opened = await openConsole(browser, site.gateway, { view, ...client })
    await opened.page.goto(site.gateway.url + path)
    for (const width of widths) {
      await opened.page.setViewportSize({ width, height: HEIGHT })
      await opened.settled()
      await expectGoodLooks(opened.page)
    }
    expect(await opened.page.evaluate('document.documentElement.dataset.theme')).toBe(theme)
    if (language === 'en') expect(await findChinese(opened.page)).toEqual([])
    expect(opened.problems()).toEqual([])
    await opened.close()
  })
})

async function expectGoodLooks(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
}
