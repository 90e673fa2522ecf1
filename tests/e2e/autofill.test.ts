import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AdminClient } from '../harness/api-client.ts'
import { openBrowser } from '../harness/browser.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

let site: Site
let browser: Browser
let tokenId = 0
let channelId = 0

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, { EmailVerificationEnabled: true, SMTPServer: 'mail.example', Chats: '[]' })
  channelId = (await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o'] })).id
  tokenId = (await addToken(site.root, { name: 'one' })).id
})

afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

interface Entry {
  readonly name: string
  readonly type: string
  /** As it stands in the page; empty when it does not. */
  readonly fills: string
}

/** Everything that can be typed into, hidden or not. */
const entriesOf = (page: Page): Promise<Entry[]> =>
  page.locator('input, textarea').evaluateAll(nodes =>
    nodes
      .filter(node => node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement)
      .filter(({ type }) => !['checkbox', 'radio', 'range', 'file'].includes(type))
      .map(node => ({
        name: node.getAttribute('aria-label') || node.name || node.id,
        type: node.type,
        fills: node.getAttribute('autocomplete') ?? '',
      })),
  )

interface Walk {
  readonly path: string
  /** How many there are at least, once all of the page has come. */
  readonly least: number
  readonly client?: AdminClient
}

async function walk({ path, least, ...who }: Walk): Promise<{ opened: OpenConsole; entries: Entry[] }> {
  const opened = await openConsole(browser, site.gateway, who)
  await opened.page.goto(site.gateway.url + path)
  await opened.settled()
  const entries = await waitUntil(
    { description: `${least} fields at ${path}`, timeoutMs: 20_000 },
    async () => {
      const found = await entriesOf(opened.page)
      return found.length >= least && found
    },
  )
  return { opened, entries }
}

/** A browser fills a password into whatever is one, unless it is said to be a new one. */
const isLeftAlone = ({ type, fills }: Entry): boolean =>
  fills === (type === 'password' ? 'new-password' : 'off')

const UNRELATED: ReadonlyArray<readonly [what: string, path: () => string, least: number]> = [
  ['the playground', () => '/playground', 1],
  ['the tokens', () => '/token', 2],
  ['a new token', () => '/token?edit=new', 5],
  ['a token', () => `/token?edit=${tokenId}`, 5],
  ['the wallet', () => '/topup', 1],
  ['the log', () => '/log', 1],
  ['the prices', () => '/pricing', 1],
  ['the channels', () => '/channel', 1],
  ['a new channel', () => '/channel/add', 8],
  ['a channel', () => `/channel/edit/${channelId}`, 8],
  ['the tests of a channel', () => `/channel?test=${channelId}`, 1],
  ['the preview of a route', () => '/channel?preview=1', 1],
  ['the codes', () => '/redemption', 1],
  ['new codes', () => '/redemption?edit=new', 3],
  ['the users', () => '/user', 1],
  ['a new user', () => '/user/add', 3],
  ['a user', () => `/user/edit/${site.root.userId}`, 3],
  ['the drawings', () => '/midjourney', 1],
  ['the tasks', () => '/task', 1],
  ['the operation settings', () => '/setting?tab=operation', 10],
  ['the system settings', () => '/setting?tab=system', 20],
  ['the other settings', () => '/setting?tab=other', 5],
]

describe('fields that the browser must not autofill', () => {
  test.each([...UNRELATED])('disable autofill in %s', async (_, pathOf, least) => {
    const { opened, entries } = await walk({ path: pathOf(), least, client: site.root })
    expect(entries.filter(entry => !isLeftAlone(entry))).toEqual([])
    await opened.close()
  })
})

describe('fields for password managers', () => {
  test.each([
    ['/login', ['username', 'current-password']],
    ['/register', ['username', 'new-password', 'new-password', 'email', 'one-time-code']],
    ['/reset', ['email']],
  ])('are declared at %s', async (path, expected) => {
    const { opened, entries } = await walk({ path, least: expected.length })
    expect(entries.map(({ fills }) => fills).toSorted()).toEqual(expected.toSorted())
    await opened.close()
  })

  test('are declared in the change-password form and nowhere else in the personal settings', async () => {
    const { opened, entries } = await walk({ path: '/setting', least: 3, client: site.root })
    const form = opened.page.getByRole('region', { name: 'Change password' })
    await form.waitFor()
    const own = await form
      .locator('input')
      .evaluateAll(nodes => nodes.map(node => node.getAttribute('autocomplete')))
    expect(own).toEqual(['username', 'new-password', 'new-password'])
    expect(entries.filter(entry => !isLeftAlone(entry)).map(({ fills }) => fills)).toEqual(['username'])
    await opened.close()
  })
})
