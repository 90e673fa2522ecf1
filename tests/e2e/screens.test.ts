import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import type { Screen } from '../../console/app/define-screen.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openBrowser } from '../harness/open-browser.ts'
import { ALL_VIEWS, openConsole } from '../harness/open-console.ts'
import { PROJECT } from '../harness/program.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'gpt-4o-mini'
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
const pages = screens.map(({ path, layout }) => [path, layout === 'bare'] as const)

describe.each(pages.filter(([path]) => !NOT_BUILT.includes(path)))('screen %s', (path, isForVisitors) => {
  test.each(ALL_VIEWS)('is accessible and fits: $language $theme $width', async view => {
    const client = isForVisitors ? {} : { client: site.root }
    const { page, problems, close } = await openConsole(browser, site.gateway, { view, ...client })
    await page.goto(site.gateway.url + path, { waitUntil: 'networkidle' })
    await page.locator('h1').first().waitFor()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(view.theme)
    expect(await violationsOn(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems()).toEqual([])
    await close()
  })
})

async function violationsOn(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target.join(' ')}`))
}
