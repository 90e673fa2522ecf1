import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { createRedemptions } from '#contract/billing/redemptions.ts'
import { type LogEntry, listLogs } from '#contract/logs/logs.ts'
import { openBrowser } from '../harness/browser.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole, VIEW_VARIANTS } from '../harness/open-console.ts'
import { findChinese, findViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const LONG_NAME = 'a channel whose name says all there is to know of it, '.repeat(2).slice(0, 100).trim()
const HEIGHT = 900
/** Both languages, both themes and every width. */
const VARIANTS = VIEW_VARIANTS.filter((_, index) => index % 3 === 0)

let site: Site
let browser: Browser
let channelId = 0
let rowId = 0

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, {
    Chats: '[]',
    UserUsableGroups: { default: 'Everybody' },
    RetryTimes: 1,
  })
  await site.root.call(createRedemptions, { body: { name: 'gift', quota: 500, count: 1 } })
  const draft = { tag: 'team', model_mapping: '{"a":"b"}' }
  const channel = { vendor: 'openai', models: [MODEL], name: LONG_NAME } as const
  await addLabChannel(site.root, site.lab, { ...channel, priority: 9, scenario: 'status-503' })
  const { id } = await addLabChannel(site.root, site.lab, { ...channel, draft })
  const { key } = await addToken(site.root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  const row: LogEntry = await waitUntil(
    { description: 'the row of the request', timeoutMs: 5000 },
    async () => {
      const { items }: { items: LogEntry[] } = await site.root.call(listLogs)
      return items[0]
    },
  )
  channelId = id
  rowId = row.id
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

const OVERLAYS: ReadonlyArray<readonly [string, () => string]> = [
  ['a new channel', () => '/channel/add'],
  ['a stored channel', () => `/channel/edit/${channelId}`],
  ['the tests of a channel', () => `/channel?test=${channelId}`],
  ['the preview of a route', () => `/channel?preview=1&route=${MODEL}`],
  ['a tag', () => '/channel?tagmode=1&tag=team'],
  ['new redemption codes', () => '/redemption?edit=new'],
  ['a redemption code', () => '/redemption?edit=1'],
  ['a new user', () => '/user/add'],
  ['a user', () => `/user/edit/${site.root.userId}`],
  ['a row of the log', () => `/log?row=${rowId}`],
  ['a price', () => `/pricing?model=${MODEL}`],
]

describe.each(VARIANTS)('in $language with the $theme theme', ({ language, theme, widths }) => {
  /** One window opens every overlay: a new window costs more than the checks. */
  let opened: OpenConsole
  let problemsFound = 0

  beforeAll(async () => {
    const view = { language, theme, width: widths[0] }
    opened = await openConsole(browser, site.gateway, { view, client: site.root })
  })
  afterAll(() => opened.close())

  test.each([...OVERLAYS])(
    'the sheet or dialog of %s is accessible and fits every width',
    async (_, path) => {
      const { page } = opened
      await page.setViewportSize({ width: widths[0], height: HEIGHT })
      await page.goto(site.gateway.url + path())
      await page.getByRole('dialog').waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: HEIGHT })
        await opened.settled()
        expect(await findViolations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        )
        expect(await findCutSections(page)).toEqual([])
      }
      expect(await page.getByRole('dialog').count()).toBe(1)
      if (language === 'en') expect(await findChinese(page)).toEqual([])
      const problems = opened.problems().slice(problemsFound)
      problemsFound += problems.length
      expect(problems).toEqual([])
    },
  )
})

/** Sections of the open dialog that extend beyond its right edge. */
const findCutSections = (page: Page): Promise<string[]> =>
  page.getByRole('dialog').evaluate(dialog => {
    const { right } = dialog.getBoundingClientRect()
    const sections = [...dialog.querySelectorAll('section')]
    return sections
      .filter(section => section.getBoundingClientRect().right > right)
      .map(section => section.getAttribute('aria-label') ?? section.id)
  })
