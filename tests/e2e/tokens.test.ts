import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, deleteToken, getToken, listTokens, updateToken } from '#contract/entities/token.ts'
import { addUser } from '../harness/add-user.ts'
import { callChat } from '../harness/call-chat.ts'
import { browser, describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'

/** `elementCount`: how many elements the browser styled in one go. */
interface Trace {
  readonly traceEvents: ReadonlyArray<{ readonly args?: { readonly elementCount?: number } }>
}

describeConsole()

beforeAll(async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
})

beforeEach(async () => {
  for (const { id } of await tokens()) await site.root.call(deleteToken, { params: { id } })
  await openAs(site.root)
})

const tokens = () => site.root.call(listTokens, { query: { p: 0, size: 100 } })
const rows = () => page.locator('tbody tr')
const rowOf = (name: string) => page.getByRole('row', { name, exact: true })
const sheet = () => page.getByRole('dialog')

async function openTokens(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/token${search}`)
  await page.locator('h1', { hasText: 'Tokens' }).waitFor()
}

/** What the page copies next. */
const copied = () =>
  waitUntil(
    { description: 'the page to copy a text', timeoutMs: 20_000 },
    async () => (await page.evaluate<string>('window.copied')) || undefined,
  )

describe('creating', () => {
  test('shows the key until it is confirmed as saved and reports the first request', async () => {
    await openTokens()
    await page.getByText('No tokens yet').waitFor()
    await page.getByRole('button', { name: 'New token' }).first().click()
    await sheet().getByLabel('Name').fill('production')
    await page.keyboard.press('Control+Enter')

    const dialog = page.getByRole('dialog', { name: 'Save your key' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(true)
    const [token] = await tokens()
    expect(await dialog.textContent()).not.toContain(token?.key)
    await dialog.getByRole('button', { name: 'Copy · Key' }).click()
    expect(await copied()).toBe(`sk-${token?.key}`)

    await dialog.getByText('Waiting for the first request').waitFor()
    await callChat({
      url: site.gateway.url,
      key: token?.key ?? '',
      body: { model: MODEL, messages: [{ role: 'user', content: 'hello' }] },
    })
    await dialog.getByText('First request received').waitFor()
    await dialog.getByRole('button', { name: "I've saved this key" }).click()
    await rowOf('production').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('asks before Escape or Back discards unsaved input', async () => {
    await openTokens()
    await page.getByRole('button', { name: 'New token' }).first().click()
    await sheet().getByLabel('Name').fill('half')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await sheet().getByLabel('Name').inputValue()).toBe('half')
    await page.goBack()
    await page.getByRole('button', { name: 'Discard' }).click()
    await sheet().waitFor({ state: 'detached' })
    expect(await tokens()).toEqual([])
  })
})

describe('editing', () => {
  test('opens by its own URL and updates the list at once', async () => {
    const { id } = await addToken(site.root, {
      name: 'before',
      remain_quota: 500_000,
      unlimited_quota: false,
    })
    await openTokens(`?edit=${id}`)
    await sheet().getByLabel('Name').fill('after')
    await sheet().getByLabel('In dollars').fill('2.5')
    await sheet().getByRole('button', { name: 'Save', exact: true }).click()
    await rowOf('after').waitFor()
    const [token] = await tokens()
    expect(token).toMatchObject({ name: 'after', remain_quota: 1_250_000 })
  })

  test('disables a token and reverts it from the notification', async () => {
    await addToken(site.root, { name: 'switched' })
    await openTokens()
    await page.getByRole('button', { name: 'Disable switched' }).click()
    await rowOf('switched').getByText('Disabled').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf('switched').getByText('Enabled').waitFor()
  })

  test('does not enable an exhausted token and links to its quota', async () => {
    const { id } = await addToken(site.root, { name: 'empty', unlimited_quota: false, remain_quota: 0 })
    await site.root.call(updateToken, { query: { status_only: true }, body: { id, status: 2 } })
    await openTokens()
    await page.getByRole('button', { name: 'Enable empty' }).click()
    await page.getByRole('alert').getByRole('button', { name: 'Edit quota' }).click()
    await page.waitForURL(`**/token?edit=${id}`)
    expect((await tokens())[0]?.status).not.toBe(1)
  })

  test('links from the menu to its usage and to a copy', async () => {
    const typed = Promise.withResolvers<void>()
    await page.route('**/api/user/self/groups**', async route => {
      await typed.promise
      await route.continue()
    })
    await addToken(site.root, { name: 'model', model_limits_enabled: true, model_limits: MODEL })
    await openTokens()
    await page.getByRole('button', { name: 'More actions for model' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate settings' }).click()
    await sheet().getByLabel('Limit models').waitFor()
    expect(await sheet().getByLabel('Limit models').isChecked()).toBe(true)
    await sheet().getByLabel('Group').fill('vip')
    typed.resolve()
    await page.getByRole('option', { name: /^vip/ }).getByText('×').waitFor()
    await page.keyboard.press('Escape')
    await sheet().getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'More actions for model' }).click()
    await page.getByRole('menuitem', { name: 'Usage log' }).click()
    await page.waitForURL('**/log?token=model')
  })

  test('deletes only after a confirmation', async () => {
    await addToken(site.root, { name: 'doomed' })
    await openTokens()
    const ask = async () => {
      await page.getByRole('button', { name: 'More actions for doomed' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await ask()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await tokens()).length).toBe(1)
    await ask()
    await sheet().getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No tokens yet').waitFor()
    expect(await tokens()).toEqual([])
  })

  test('acts on a selection extended with Shift', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await addToken(site.root, { name })
    await openTokens()
    await page.getByRole('checkbox', { name: 'Select d' }).click()
    await page.getByRole('checkbox', { name: 'Select b' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('3 done').waitFor()
    const off = (await tokens()).filter(token => token.status === 2).map(token => token.name)
    expect(off.toSorted()).toEqual(['b', 'c', 'd'])
  })
})

describe('a hundred rows', () => {
  test('are selected at once without restyling their cells', async () => {
    for (let number = 0; number < 100; number += 1) await addToken(site.root, { name: `t${number}` })
    await openTokens('?size=100')
    await rows().nth(99).waitFor()
    await browser.startTracing(page, { categories: ['devtools.timeline'] })
    await page.getByRole('checkbox', { name: 'Select this page' }).click()
    await page.getByText('100 selected').waitFor()
    const { traceEvents }: Trace = JSON.parse((await browser.stopTracing()).toString())
    const counts = traceEvents.map(({ args }) => args?.elementCount ?? 0)
    const cells = await page.locator('tbody td').count()
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * cells)
  })
})

describe('finding', () => {
  test('remembers the chosen columns and exports the list without keys', async () => {
    const { key } = await addToken(site.root, { name: 'listed' })
    await openTokens()
    const header = page.getByRole('columnheader', { name: 'Last used' })
    await rowOf('listed').waitFor()
    const warning = page.getByText('Tokens spend your balance')
    await warning.locator('xpath=ancestor::*[.//button][1]').getByRole('button', { name: 'Close' }).click()
    expect(await header.count()).toBe(0)
    await page.getByRole('button', { name: 'View options' }).click()
    await page.getByRole('checkbox', { name: 'Last used' }).check()
    await header.waitFor()
    await page.reload()
    await header.waitFor()
    expect(await warning.count()).toBe(0)
    await page.getByRole('button', { name: 'About token quotas' }).click()
    await warning.waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const text = await Bun.file(await (await download).path()).text()
    expect(text).toContain('listed')
    expect(text).not.toContain(key)
  })

  test('keeps search and page in the URL across reload and Back', async () => {
    for (let number = 1; number <= 12; number += 1) await addToken(site.root, { name: `robot-${number}` })
    await addToken(site.root, { name: 'human' })
    await openTokens()
    await page.getByText('1-10 of 13').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('11-13 of 13').waitFor()
    await page.getByRole('searchbox', { name: 'Search name' }).fill('robot')
    await page.getByText('1-10 of 12').waitFor()
    expect(new URL(page.url()).search).toBe('?q=robot')
    await page.reload()
    await page.getByText('1-10 of 12').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('11-12 of 12').waitFor()
    await page.getByRole('link', { name: 'Wallet', exact: true }).first().click()
    await page.waitForURL('**/topup')
    await page.goBack()
    await page.getByText('11-12 of 12').waitFor()
    expect(await page.getByRole('searchbox', { name: 'Search name' }).inputValue()).toBe('robot')
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('20')
    await page.getByText('1-12 of 12').waitFor()
    expect(new URL(page.url()).search).toBe('?q=robot')
    expect(await page.evaluate(`localStorage.getItem('page-size')`)).toBe('20')
    await page.reload()
    await page.getByText('1-12 of 12').waitFor()
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('10')
    await page.getByText('1-10 of 12').waitFor()
    await page.getByRole('searchbox', { name: 'Search name' }).fill('nothing like this')
    await page.getByText('No matching tokens').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByText('1-10 of 13').waitFor()
  })

  test('returns to the previous page after the last row of the last page is deleted', async () => {
    for (let number = 1; number <= 11; number += 1) await addToken(site.root, { name: `n${number}` })
    await openTokens('?p=2')
    await page.getByText('11-11 of 11').waitFor()
    await page.getByRole('button', { name: 'More actions for n1' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await sheet().getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1-10 of 10').waitFor()
  })

  test('moves through rows with the keyboard and copies a key', async () => {
    await addToken(site.root, { name: 'first' })
    const { key } = await addToken(site.root, { name: 'second' })
    await openTokens()
    await rows().first().focus()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('c')
    expect(await copied()).toBe(`sk-${key}`)
    await page.keyboard.press('Enter')
    await sheet().getByText('Edit token').waitFor()
  })

  test('copies selected tokens as name, four spaces and key', async () => {
    const { key } = await addToken(site.root, { name: 'only' })
    await openTokens()
    await page.getByRole('button', { name: 'Copy selected' }).click()
    await page.getByText('Select at least one token').waitFor()
    await page.getByRole('checkbox', { name: 'Select only' }).click()
    await page.getByRole('button', { name: 'Copy selected' }).first().click()
    expect(await copied()).toBe(`only    sk-${key}`)
  })
})

describe('the tokens of all users', () => {
  test('let an administrator stop a leaked key in three clicks', async () => {
    const anna = await addUser(site.gateway, { username: 'anna', wallet: 1000 })
    const { key, id } = await anna.call(createToken, { body: { name: 'leaked', unlimited_quota: true } })
    const messages = [{ role: 'user', content: 'Hi' }]
    await callChat({ url: site.gateway.url, key, body: { model: MODEL, messages } })
    await page.goto(`${site.gateway.url}/detail`)
    await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).first().click()
    await page.getByRole('button', { name: 'All users' }).click()
    await page.getByLabel('Paste a leaked key').fill(`sk-${key}`)
    await page.getByText('This key is the token leaked of the user anna. Used from: 127.0.0.1').waitFor()
    expect(page.url()).not.toContain(key.slice(4, 40))
    await page.getByRole('button', { name: 'Disable token leaked' }).click()
    await page.getByText('Token leaked is disabled').waitFor()
    expect((await anna.call(getToken, { params: { id } })).status).toBe(2)
  })

  test('say that no token has a key', async () => {
    await openTokens('?all=1')
    await page.getByLabel('Paste a leaked key').fill('sk-of-somebody-else')
    await page.getByText('no token has this key').waitFor()
  })
})

test('a key is rotated in two clicks, and both are valid meanwhile', async () => {
  const { key } = await addToken(site.root)
  await openTokens()
  await page
    .getByRole('button', { name: /^More actions/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'New key' }).click()
  await page.getByRole('dialog', { name: 'Save your key' }).waitFor()
  await page.getByText('stays valid for 24 hours').waitFor()
  const { url } = site.gateway
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const [token] = await tokens()
  expect(token?.key).not.toBe(key)
  for (const valid of [key, token?.key ?? ''])
    expect((await callChat({ url, key: valid, body })).status).toBe(200)
})
