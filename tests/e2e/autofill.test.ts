import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'

let tokenId = 0
let channelId = 0

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, { EmailVerificationEnabled: true, SMTPServer: 'mail.example', Chats: '[]' })
  channelId = (await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o'] })).id
  tokenId = (await addToken(site.root, { name: 'one' })).id
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

/** The entries of a page, once all of it has come: there are `least` at least. */
async function walk(path: string, least: number): Promise<Entry[]> {
  await page.goto(site.gateway.url + path)
  await opened.settled()
  return waitUntil({ description: `${least} fields at ${path}`, timeoutMs: 20_000 }, async () => {
    const found = await entriesOf(page)
    return found.length >= least && found
  })
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

/** Nothing is typed: one window shows all pages of a reader. */
describe('fields that the browser must not autofill', () => {
  beforeAll(() => openAs(site.root))

  test.each([...UNRELATED])('disable autofill in %s', async (_, pathOf, least) => {
    const entries = await walk(pathOf(), least)
    expect(entries.filter(entry => !isLeftAlone(entry))).toEqual([])
  })
})

describe('fields for password managers', () => {
  test('are declared in the change-password form and nowhere else in the personal settings', async () => {
    await openAs(site.root)
    const entries = await walk('/setting', 3)
    const form = page.getByRole('region', { name: 'Change password' })
    await form.waitFor()
    const own = await form
      .locator('input')
      .evaluateAll(nodes => nodes.map(node => node.getAttribute('autocomplete')))
    expect(own).toEqual(['username', 'new-password', 'new-password'])
    expect(entries.filter(entry => !isLeftAlone(entry)).map(({ fills }) => fills)).toEqual(['username'])
  })

  describe('of visitors', () => {
    beforeAll(() => openAs(undefined))

    test.each([
      ['/login', ['username', 'current-password']],
      ['/register', ['username', 'new-password', 'new-password', 'email', 'one-time-code']],
      ['/reset', ['email']],
    ])('are declared at %s', async (path, expected) => {
      const entries = await walk(path, expected.length)
      expect(entries.map(({ fills }) => fills).toSorted()).toEqual(expected.toSorted())
    })
  })
})
