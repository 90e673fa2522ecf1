import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole, VIEW_VARIANTS } from '../harness/open-console.ts'
import {
  findChinese,
  findLeakedValues,
  findStructureViolations,
  findViolations,
} from '../harness/page-checks.ts'
import { loadScreens } from '../harness/screens.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'gpt-4o-mini'
const HEIGHT = 900
/** The layout of this width has the colours of the wider one. */
const BETWEEN = 768
/** Texts of operators, in English so that the search for untranslated texts does not find them. */
const ENGLISH_DATA = {
  Chats: JSON.stringify([{ Chat: 'https://chat.example/#{key}' }]),
  UserUsableGroups: { default: 'Everybody', vip: 'Friends' },
}
/** Exists in development only. */
const NOT_BUILT = ['/dev/kit']

const screens = await loadScreens()

let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, ENGLISH_DATA)
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  const { key } = await addToken(site.root)
  const { url } = site.gateway
  for (const content of ['hello', 'hello [lab: tokens-500]', 'hello [lab: context-length]'])
    await callChat({ url, key, body: { model: MODEL, messages: [{ role: 'user', content }] } })
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

const pages = screens.filter(({ path }) => !NOT_BUILT.includes(path))
const pathsOf = (isBare: boolean) =>
  pages.filter(({ layout }) => (layout === 'bare') === isBare).map(({ path }) => path)
const morePaths = ['/setting?tab=operation', '/setting?tab=system', '/setting?tab=other']
/** Visitors see the screens before the sign-in. The unknown path comes first, so that no heading of another page is taken for its own. */
const READERS = [
  { reader: 'a visitor', paths: pathsOf(true) },
  { reader: 'an administrator', paths: ['/no-such-page', ...pathsOf(false), ...morePaths] },
] as const

describe.each(VIEW_VARIANTS)('in $language with the $theme theme', ({ language, theme, widths }) => {
  describe.each(READERS)('shown to $reader', ({ reader, paths }) => {
    /** One window visits every screen: opening a new one costs more than the checks. */
    let opened: OpenConsole
    let problemsFound = 0

    beforeAll(async () => {
      const view = { language, theme, width: widths[0] }
      const client = reader === 'a visitor' ? {} : { client: site.root }
      opened = await openConsole(browser, site.gateway, { view, ...client })
    })
    afterAll(() => opened.close())

    test.each(paths)('screen %s is accessible and fits every width', async path => {
      await opened.page.setViewportSize({ width: widths[0], height: HEIGHT })
      await opened.visit(path)
      for (const width of widths) {
        await opened.page.setViewportSize({ width, height: HEIGHT })
        await opened.settled()
        const find = width === BETWEEN ? findStructureViolations : findViolations
        expect(await find(opened.page)).toEqual([])
        expect(await findOverflow(opened.page)).toBeLessThanOrEqual(0)
      }
      expect(await opened.page.evaluate('document.documentElement.dataset.theme')).toBe(theme)
      expect(await findLeakedValues(opened.page)).toEqual([])
      if (language === 'en') expect(await findChinese(opened.page)).toEqual([])
      const problems = opened.problems().slice(problemsFound)
      problemsFound += problems.length
      expect(problems).toEqual([])
    })
  })
})

/** CSS pixels by which the page is wider than its window. */
const findOverflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')
