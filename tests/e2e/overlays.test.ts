import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { type LogEntry, listLogs } from '#contract/logs.ts'
import { createRedemptions } from '#contract/redemptions.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openBrowser } from '../harness/open-browser.ts'
import { ALL_VIEWS, openConsole } from '../harness/open-console.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
/** Each theme, language and width at least once. */
const VIEWS = ALL_VIEWS.filter((_, index) => index % 5 === 0)

let site: Site
let browser: Browser
let channelId = 0
let rowId = 0

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await site.root.call(createRedemptions, { body: { name: 'gift', quota: 500, count: 1 } })
  const draft = { tag: 'team', model_mapping: '{"a":"b"}' }
  const { id } = await addLabChannel(site.root, site.lab, { vendor: 'openai', models: [MODEL], draft })
  const { key } = await addToken(site.root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  const row: LogEntry = await waitUntil({ what: 'the row of the request', timeoutMs: 5000 }, async () => {
    const { items }: { items: LogEntry[] } = await site.root.call(listLogs)
    return items[0]
  })
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
  ['a tag', () => '/channel?tagmode=1&tag=team'],
  ['new redemption codes', () => '/redemption?edit=new'],
  ['a redemption code', () => '/redemption?edit=1'],
  ['a new user', () => '/user/add'],
  ['a user', () => `/user/edit/${site.root.userId}`],
  ['a row of the log', () => `/log?row=${rowId}`],
  ['a price', () => `/pricing?model=${MODEL}`],
]

describe.each([...OVERLAYS])('the open sheet or dialog of %s', (_, path) => {
  test.each(VIEWS)('is accessible and fits: $language $theme $width', async view => {
    const { page, problems, close } = await openConsole(browser, site.gateway, { view, client: site.root })
    await page.goto(site.gateway.url + path(), { waitUntil: 'networkidle' })
    await page.getByRole('dialog').waitFor()
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(
      violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' '))}`),
    ).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems()).toEqual([])
    await close()
  })
})
