import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { listLogs } from '#features/logs/contract/logs.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { addUser } from '../harness/add-user.ts'
import { callChat } from '../harness/call-chat.ts'
import {
  describeConsole,
  openAs,
  opened,
  openOnce,
  page,
  runFirst,
  site,
} from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { DESKTOP } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitInPage } from '../harness/wait-in-page.ts'
import { waitUntil } from '../harness/wait-until.ts'

describeConsole({ hasProblems: true })

beforeAll(async () => {
  await addToken(site.root, { name: 'shown' })
})

beforeEach(() => openAs(site.root))

const open = (path: string) => page.goto(site.gateway.url + path)
/** Waits for the document, which a page has a moment after its first bytes. */
const theme = () => page.locator('html').getAttribute('data-theme')
const heading = (name: string) => page.getByRole('heading', { level: 1, name })

test('switches the language at once and remembers it', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitemradio', { name: '中文' }).click()
  await heading('令牌').waitFor()
  expect(await page.evaluate('document.documentElement.lang')).toBe('zh')
  expect(await page.evaluate(`localStorage.getItem('language')`)).toBe('zh')
  expect(await page.title()).toBe('令牌 - Tollgate')
})

test('names the open sheet in the title of the window', async () => {
  await open('/token?edit=new')
  await page.getByRole('dialog', { name: 'New token' }).waitFor()
  expect(await page.title()).toBe('New token - Tokens - Tollgate')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.title()).toBe('Tokens - Tollgate')
})

test('shows a line at the top while the next page loads', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  const line = page.locator('.fixed > [aria-hidden] > .progress-line')
  expect(await line.count()).toBe(0)
  let arrive: () => void = () => undefined
  const held = new Promise<void>(resolve => {
    arrive = resolve
  })
  await page.route('**/assets/redemption-codes-page-*.js', async route => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Redemption codes' }).click()
  await line.waitFor({ state: 'attached' })
  arrive()
  await heading('Redemption codes').waitFor()
  await line.waitFor({ state: 'detached' })
  await page.unroute('**/assets/redemption-codes-page-*.js')
})

test('adopts the language stored by an older console', async () => {
  await runFirst(`localStorage.removeItem('language'); localStorage.setItem('i18nextLng', 'en-US')`)
  await open('/token')
  await heading('Tokens').waitFor()
})

test('applies the theme before the first paint and remembers a change', async () => {
  await open('/token')
  expect(await theme()).toBe('light')
  await page.getByRole('button', { name: 'Theme' }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  expect(await theme()).toBe('dark')
  await page.goto(`${site.gateway.url}/token`, { waitUntil: 'commit' })
  expect(await theme()).toBe('dark')
})

test('follows the system theme by default', async () => {
  await openOnce(site.root)
  await runFirst(`localStorage.setItem('theme-mode', 'system')`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await open('/token')
  expect(await theme()).toBe('dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-theme=light]').waitFor({ state: 'attached' })
})

test('an expired session leads to one sign-in and back to the page with its filters', async () => {
  await open('/token?q=shown')
  await heading('Tokens').waitFor()
  await opened.settled()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.waitForURL('**/login?*')
  await page.getByText('You are not signed in or your session has expired').waitFor()
  expect(await page.getByText('You are not signed in or your session has expired').count()).toBe(1)
  expect(await page.getByRole('region', { name: 'Notifications' }).textContent()).toBe('')
  expect(new URL(page.url()).searchParams.get('next')).toBe('/token?q=shown')
  await page.getByLabel('Username or email').fill('root')
  await page.getByLabel('Password', { exact: true }).fill(site.gateway.rootPassword)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/token?q=shown')
})

test('keeps typed input across a sign-in', async () => {
  await open('/token?edit=new')
  await page.getByRole('dialog').getByLabel('Name').fill('half-typed')
  await page.context().clearCookies()
  await page.keyboard.press('Control+Enter')
  await page.waitForURL('**/login?*')
  await page.getByLabel('Username or email').fill('root')
  await page.getByLabel('Password', { exact: true }).fill(site.gateway.rootPassword)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/token?edit=new')
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('half-typed')
})

test('guards every page after signing out', async () => {
  await openAs(undefined)
  await page.goto(`${site.gateway.url}/login`)
  await page.getByLabel('Username or email').fill('root')
  await page.getByLabel('Password', { exact: true }).fill(site.gateway.rootPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  await page.getByText('Signed out').waitFor()
  expect(await page.evaluate(`localStorage.getItem('user')`)).toBeNull()
  await page.goto(`${site.gateway.url}/channel`)
  await page.waitForURL('**/login?*')
})

test('shows a missing permission on a page for higher roles', async () => {
  await runFirst(
    `localStorage.setItem('user', JSON.stringify({ ...JSON.parse(localStorage.getItem('user')), role: 1 }))`,
  )
  await open('/channel')
  await heading('No permission').waitFor()
  expect(await page.getByRole('link', { name: 'Channels' }).count()).toBe(0)
})

test('redirects a nearly correct path to the intended page', async () => {
  await open('/tokens')
  await heading('Page not found').waitFor()
  await page.getByRole('link', { name: 'Did you mean Tokens?' }).click()
  await page.waitForURL('**/token')
})

test('offers a link home on an unknown path', async () => {
  await open('/no/such/page')
  await heading('Page not found').waitFor()
  await page.getByRole('link', { name: 'Back to home' }).click()
  await page.waitForURL(`${site.gateway.url}/`)
})

test('switches pages with shortcuts, but not while typing', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.waitForURL('**/channel')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await heading('Tokens').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('gc')
  expect(new URL(page.url()).pathname).toBe('/token')
  expect(await page.getByRole('searchbox', { name: 'Search name' }).inputValue()).toBe('gc')
})

test('finds a page by its name in either language', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages and actions' }).fill('渠道')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/channel')
})

test('does not treat letters typed before the palette opens as shortcuts', async () => {
  const arrived = Promise.withResolvers<void>()
  await page.route('**/assets/palette-*.js', async route => {
    await arrived.promise
    await route.continue()
  })
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('gpt')
  arrived.resolve()
  await page.getByRole('combobox', { name: 'Search pages and actions' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/token')
  expect(await theme()).toBe('light')
})

test('lists recent pages first in the palette, per account and role', async () => {
  const palette = page.getByRole('dialog', { name: 'Search pages and actions' })
  const lately = () => palette.getByRole('option', { name: 'Recently opened' }).allTextContents()
  await runFirst(`localStorage.setItem('recent-4711', '["/user"]')`)
  for (const [path, name] of [
    ['/log', 'Log'],
    ['/channel', 'Channels'],
    ['/topup', 'Wallet'],
    ['/token', 'Tokens'],
  ] as const) {
    await open(path)
    await heading(name).waitFor()
  }
  await page.keyboard.press('Control+k')
  await palette.getByRole('option').first().waitFor()
  expect(await lately()).toEqual(['WalletRecently opened', 'ChannelsRecently opened', 'LogRecently opened'])
  expect(await palette.getByRole('option', { name: 'Wallet' }).count()).toBe(1)
  await page.keyboard.press('Enter')
  await heading('Wallet').waitFor()

  await page.evaluate(
    `localStorage.setItem('user', JSON.stringify({ ...JSON.parse(localStorage.getItem('user')), role: 1 }))`,
  )
  await page.reload()
  await heading('Wallet').waitFor()
  await page.keyboard.press('Control+k')
  await palette.getByRole('option').first().waitFor()
  expect(await lately()).toEqual(['TokensRecently opened', 'LogRecently opened'])
})

test('finds channels, models, codes, settings, documentation and the API reference in the palette', async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o-mini'], name: 'main road' })
  await site.root.call(createRedemptions, { body: { name: 'spring sale', quota: 500, count: 1 } })
  const calls: string[] = []
  page.on('request', request => calls.push(new URL(request.url()).pathname))
  const palette = page.getByRole('dialog', { name: 'Search pages and actions' })
  for (const [typed, option, path] of [
    ['main', 'main road', /\/channel\/edit\/\d+$/],
    ['4o-min', 'gpt-4o-mini', /\/pricing\?model=gpt-4o-mini$/],
    ['spring', 'spring sale', /\/redemption\?edit=\d+$/],
    ['服务器地址', 'Server address', /\/setting\?tab=system&section=ServerAddress$/],
  ] as const) {
    await open('/token')
    await heading('Tokens').waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill(typed)
    await palette.getByRole('option', { name: option }).first().click()
    await page.waitForURL(path)
  }
  expect(calls.filter(path => path === '/api/channel/search')).toHaveLength(4)
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('docs')
  await palette
    .getByRole('option', { name: /^Documentation/ })
    .first()
    .waitFor()
  await palette.getByRole('combobox').fill('API reference')
  await palette.getByRole('option', { name: 'API reference' }).waitFor()
})

test('the palette says that it searches, where it failed, and which of two records of one name is which', async () => {
  const ids = [
    (await addToken(site.root, { name: 'twin' })).id,
    (await addToken(site.root, { name: 'twin' })).id,
  ]
  const gate = Promise.withResolvers<void>()
  let isBroken = true
  await page.route('**/api/channel/search*', async route => {
    await gate.promise
    if (isBroken) await route.fulfill({ status: 500, body: 'broken' })
    else await route.continue()
  })
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search pages and actions' })
  await palette.getByRole('combobox').fill('twin')
  for (const id of ids) await palette.getByRole('option', { name: `twin #${id}`, exact: false }).waitFor()
  await palette.getByText('Searching…').waitFor()
  gate.resolve()
  await palette.getByText('Search failed: Channels').waitFor()
  expect(await palette.getByText('Searching…').count()).toBe(0)
  await palette.getByRole('combobox').fill('nothing has this name')
  await palette.getByText('Search failed: Channels').waitFor()
  expect(await palette.getByText('No results').count()).toBe(0)
  isBroken = false
  await palette.getByRole('button', { name: 'Retry' }).click()
  await palette.getByText('No results').waitFor()
})

test('lists all shortcuts and can disable single-key ones', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByRole('listitem').filter({ hasText: 'Channels' }).waitFor()
  await sheet.getByLabel('Single-key shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages and actions' }).waitFor()
})

/** Opens screens whose code has not been loaded. Returns how many painted frames in between had no heading. */
const FRAMES_WITHOUT_HEADING = `(async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done))
  const heading = () => document.querySelector('main h1')
  let count = 0
  for (const href of ['/token', '/log', '/topup', '/user']) {
    const former = heading()
    document.querySelector(\`nav[aria-label="Main navigation"] a[href="\${href}"]\`).click()
    while (heading() === null || heading() === former) {
      await frame()
      if (heading() === null) count += 1
    }
  }
  return count
})()`

test('a page stays until the next one can be shown, also when its code must be loaded first', async () => {
  await open('/detail')
  await opened.settled()
  expect(await page.evaluate<number>(FRAMES_WITHOUT_HEADING)).toBe(0)
})

test('moves the focus to the heading of a new page', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.getByRole('link', { name: 'Channels' }).focus()
  await page.keyboard.press('Enter')
  await heading('Channels').waitFor()
  await waitInPage(page, `document.activeElement.tagName === 'H1'`)
})

test('applies server settings in the same load, with user choices before server defaults', async () => {
  await setOptions(site.root, {
    DefaultCollapseSidebar: true,
    DrawingEnabled: false,
    DataExportEnabled: false,
    DemoSiteEnabled: true,
  })
  await open('/token')
  await page.getByRole('button', { name: 'Expand sidebar' }).click()
  await page.getByRole('link', { name: 'Tasks' }).waitFor()
  expect(await page.getByRole('link', { name: 'Drawings' }).count()).toBe(0)
  await page.getByText('Demo', { exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  expect(new URL(page.url()).pathname).toBe('/token')
  await page.reload()
  await page.getByRole('button', { name: 'Collapse sidebar' }).waitFor()
  await setOptions(site.root, {
    DefaultCollapseSidebar: false,
    DrawingEnabled: true,
    DataExportEnabled: true,
    DemoSiteEnabled: false,
  })
})

test('asks for a new password while the initial one is in use', async () => {
  const client = await addUser(site.gateway, { username: 'novice', wallet: 0 })
  await openAs(client)
  await runFirst(
    `if (!sessionStorage.first) {
       sessionStorage.first = 'done'
       localStorage.setItem('user', JSON.stringify({ ...JSON.parse(localStorage.getItem('user')), must_change_password: true }))
     }`,
  )
  await page.goto(`${site.gateway.url}/token`)
  const dialog = page.getByRole('dialog', { name: 'Change your password now' })
  await dialog.getByLabel('New password', { exact: true }).fill('another-one')
  await dialog.getByLabel('Repeat the new password').fill('another-two')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByText('The passwords do not match').waitFor()
  await dialog.getByLabel('Repeat the new password').fill('another-one')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed').waitFor()
  await page.reload()
  await page.locator('h1', { hasText: 'Tokens' }).waitFor()
  expect(await dialog.count()).toBe(0)
})

test('shows selected text when the browser refuses to copy it', async () => {
  await runFirst(
    `Object.defineProperty(navigator, 'clipboard', { value: undefined }); document.execCommand = () => false`,
  )
  await open('/token')
  await page.getByRole('button', { name: 'Copy key of shown' }).click()
  const dialog = page.getByRole('dialog', { name: 'Could not copy to the clipboard' })
  await dialog.waitFor()
  await waitInPage(
    page,
    `document.activeElement.value?.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd).startsWith('sk-')`,
  )
})

test('reports a lost network, a slow server and an updated server', async () => {
  await openOnce(site.root)
  await page.clock.install()
  await open('/token')
  await heading('Tokens').waitFor()
  await page.context().setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.context().setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'detached' })
  await page.route('**/api/token/*', () => undefined)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.clock.fastForward('00:10')
  await page.getByText('The server is slow').waitFor()
  await page.route('**/api/status', async route => {
    const response = await route.fetch()
    const json = await response.json()
    await route.fulfill({ json: { ...json, data: { ...json.data, version: '9.9.9' } } })
  })
  await page.clock.fastForward('11:00')
  await page.getByText('Update available').waitFor()
})

test('reloads a page chunk once, then offers its error for copying', async () => {
  let requested = 0
  await page.route('**/assets/status-about-page*', route => {
    requested += 1
    return route.abort()
  })
  await open('/token')
  await heading('Tokens').waitFor()
  await page.getByRole('link', { name: 'About' }).click()
  await page.getByText('The page could not be loaded').waitFor()
  expect(requested).toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Reload' }).waitFor()
  const failure = await page.locator('p', { hasText: ' · ' }).textContent()
  await page.getByRole('button', { name: /^Copy · / }).click()
  const [number] = failure?.trim().split(' · ') ?? []
  expect(await page.evaluate('window.copied')).toStartWith(`${number} /about `)
})

test('opens the log row of a pasted request id', async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o'] })
  const { key } = await addToken(site.root, { name: 'caller' })
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  const row = await waitUntil({ description: 'the row of the request', timeoutMs: 20_000 }, async () => {
    const { items } = await site.root.call(listLogs, { query: { type: 2 } })
    return items[0]
  })
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages and actions' }).fill(row.request_id)
  await page.getByRole('option', { name: 'gpt-4o' }).click()
  await page.waitForURL(`**/log?row=${row.id}`)
})

test('finds a record by its name and opens it', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages and actions' }).fill('show')
  await page.getByRole('option', { name: 'shown' }).click()
  await page.waitForURL('**/token?edit=*')
})

test('hides amounts and keys in privacy mode', async () => {
  await open('/token')
  await page.getByText('$200.00').first().waitFor()
  await page.getByRole('button', { name: 'Show key of shown' }).click()
  const key = page.getByText(/^sk-\w{20,}$/)
  await key.waitFor()
  await page.keyboard.press('m')
  await key.waitFor({ state: 'detached' })
  await page.getByText('$200.00').first().waitFor({ state: 'detached' })
  expect(await page.locator('main').textContent()).not.toContain('$')
})

test.each(['/login', '/register', '/reset'])('says on %s that the status could not be loaded', async path => {
  await opened.reset()
  await page.route('**/api/{start,status}', route => route.abort())
  await open(path)
  await page.getByText('Failed to load status').waitFor({ timeout: 20_000 })
})

test('reports an unreachable server and recovers', async () => {
  await page.route('**/api/{start,status}', route => route.abort())
  await open('/token')
  await page.getByText('Unable to connect to server').waitFor({ timeout: 20_000 })
  await page.unroute('**/api/{start,status}')
  await page.getByRole('button', { name: 'Retry' }).first().click()
  await page.getByText('Unable to connect to server').waitFor({ state: 'detached' })
})

test('offers a skip link as the first tab stop', async () => {
  await open('/token')
  await heading('Tokens').waitFor()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
})

test.each([390, 700])('moves header items without room at %d px into the drawer', async width => {
  await openAs(undefined, { ...DESKTOP, width })
  await page.goto(`${site.gateway.url}/about`)
  await page.getByRole('button', { name: 'Open menu' }).click()
  const drawer = page.getByRole('dialog')
  for (const name of ['Home', 'Pricing', 'About']) await drawer.getByRole('link', { name }).waitFor()
  await drawer.getByRole('link', { name: 'Pricing' }).click()
  await page.waitForURL('**/pricing')
  await drawer.waitFor({ state: 'detached' })
})

test('lists the pages in a drawer on a phone', async () => {
  await openAs(site.root, { ...DESKTOP, width: 390 })
  await page.goto(`${site.gateway.url}/token`)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Channels' }).click()
  await page.waitForURL('**/channel')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
