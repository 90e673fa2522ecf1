import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { listLogs } from '#features/logs/contract/logs.ts'
import { sleepMs } from '#server/core/clock.ts'
import { addUser } from '../harness/add-user.ts'
import { callChat } from '../harness/call-chat.ts'
import { browser, describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { DESKTOP, openConsole } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitInPage } from '../harness/wait-in-page.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const CACHED = 'gpt-4o'
const PER_CALL = 'dall-e-3'
const ROWS = 7
/** The link of a row that opens its sheet. */
const TIME = /^\d{4}-\d\d-\d\d/

/** As often as a live log asks. */
const LIVE_EVERY_MS = 3000

let key = ''

describeConsole()

beforeAll(async () => {
  const { root, lab } = site
  await setOptions(root, { RetryTimes: 2 })
  await addLabChannel(root, lab, {
    provider: 'openai',
    name: 'broken',
    models: [MODEL],
    priority: 9,
    scenario: 'status-503',
  })
  await addLabChannel(root, lab, { provider: 'openai', name: 'working', models: [MODEL, CACHED, PER_CALL] })
  key = (await addToken(root, { name: 'production' })).key
  await ask(MODEL, 'hello')
  await ask(MODEL, 'hello [lab: tokens-40]', true)
  await ask(CACHED, `[lab: cached-20] ${'context '.repeat(40)}`)
  await ask(CACHED, 'hello [lab: no-usage]')
  await ask(PER_CALL, 'hello')
  await ask(CACHED, 'hello [lab: context-length]')
  await ask('unknown-model', 'hello')
  await waitUntil(
    { description: 'the rows of all requests', timeoutMs: 20_000 },
    async () => (await rows()).length >= ROWS,
  )
})

beforeEach(() => openAs(site.root))

const chatOf = (model: string, content = 'hello') => ({ model, messages: [{ role: 'user', content }] })
const ask = (model: string, content: string, stream = false) =>
  callChat({ url: site.gateway.url, key, body: { ...chatOf(model, content), stream } })
const rows = async () => (await site.root.call(listLogs, { query: { page_size: 100 } })).items
const tableRows = () => page.locator('tbody tr[data-row]')
const sheet = () => page.getByRole('dialog')
const section = (name: string) => sheet().getByRole('region', { name })
const chip = (name: string) => page.getByRole('search').getByRole('button', { name, exact: true })

async function open(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/log${search}`)
  await tableRows().first().waitFor()
}

/** Opens the first row that has this text. */
async function openRow(text: string): Promise<void> {
  await tableRows().filter({ hasText: text }).first().getByRole('link', { name: TIME }).click()
  await sheet().waitFor()
}

describe('a request', () => {
  test('shows its attempts on two channels and a bill that equals its charge', async () => {
    await open(`?model=${MODEL}`)
    await openRow('stream')
    const id = Number(new URL(page.url()).searchParams.get('row'))
    const stored = (await rows()).find(row => row.id === id)
    expect(stored?.is_stream).toBe(true)

    const candidates = section('Candidates')
    await candidates.getByText('broken #').waitFor()
    await candidates.getByText('priority 9 · weight 0').waitFor()
    expect(await candidates.getByText('tried').count()).toBe(2)
    const routing = section('Routing')
    expect(await routing.getByRole('listitem').count()).toBe(2)
    expect(await routing.getByRole('listitem').nth(0).textContent()).toContain('503')
    expect(await routing.getByRole('listitem').nth(1).textContent()).toContain('working')

    const cost = section('Cost')
    const amounts = await cost.locator('tbody tr td:last-child').allTextContents()
    const sum = amounts.reduce((total, amount) => total + Number(amount.replace('$', '')), 0)
    expect(amounts.length).toBe(2)
    expect(Math.abs(sum * 500_000 - (stored?.quota ?? 0))).toBeLessThan(1.5)
    expect(await cost.locator('tfoot').textContent()).toContain(
      `$${((stored?.quota ?? 0) / 500_000).toFixed(6)}`,
    )
    expect(await cost.getByText('The bill comes to').count()).toBe(0)
    expect(await section('Raw').textContent()).toContain(stored?.request_id ?? '-')
  })

  test('has a bill line for cached tokens', async () => {
    await open(`?model=${CACHED}&type=2`)
    await tableRows().last().getByRole('link', { name: TIME }).click()
    await section('Cost').getByRole('rowheader', { name: 'Cache read' }).waitFor()
  })

  test('marks an estimate when the upstream reported no usage', async () => {
    await open(`?model=${CACHED}&type=2`)
    await tableRows().first().getByRole('link', { name: TIME }).click()
    await section('Cost').getByText('an estimate was charged').waitFor()
  })

  test('bills one call when priced per call', async () => {
    await open(`?model=${PER_CALL}`)
    await openRow(PER_CALL)
    await section('Cost').getByRole('rowheader', { name: 'Per call' }).waitFor()
    await section('Cost').getByText('1 × call price × group 1').waitFor()
    await section('Cost').getByText('call price $0.04').waitFor()
  })

  test('shows why it failed and that nothing was charged', async () => {
    await open('?type=5')
    await openRow(CACHED)
    await section('Overview').getByText('400 · context_length_exceeded').waitFor()
    await section('Cost').getByText('Nothing was charged.').waitFor()
  })

  test('is flagged when the bill differs from the charge', async () => {
    await page.route('**/api/log/?*', async route => {
      const response = await route.fetch()
      const json = await response.json()
      for (const item of json.data.items) item.quota += 1
      await route.fulfill({ json })
    })
    await open(`?model=${PER_CALL}`)
    await openRow(PER_CALL)
    await section('Cost').getByRole('row').first().waitFor()
    await sheet().getByText('The bill comes to').waitFor()
    await page.unrouteAll()
  })

  test('explains an abnormal end', async () => {
    const way = { ending: 'upstream-broke' }
    await page.route('**/api/log/?*', async route => {
      const response = await route.fetch()
      const json = await response.json()
      for (const item of json.data.items) item.other = JSON.stringify({ ...JSON.parse(item.other), ...way })
      await route.fulfill({ json })
    })
    await open(`?model=${PER_CALL}`)
    await openRow(PER_CALL)
    await section('Overview').getByText('Upstream disconnected', { exact: true }).waitFor()
    way.ending = 'no-word-yet'
    await page.reload()
    await section('Overview').getByText('no-word-yet', { exact: true }).waitFor()
    await page.unrouteAll()
  })

  test('copies a link to itself when opened inline', async () => {
    await open(`?model=${CACHED}&type=2`)
    await tableRows()
      .last()
      .getByRole('button', { name: /^Expand/ })
      .click()
    await page.getByRole('region', { name: 'Overview' }).getByRole('button', { name: 'Copy link' }).click()
    await waitUntil({ description: 'the link to be copied', timeoutMs: 20_000 }, () =>
      page.evaluate('window.copied'),
    )
    await page.goto(String(await page.evaluate('window.copied')))
    await section('Cost').getByRole('rowheader', { name: 'Cache read' }).waitFor()
  })

  test('opens inline with models, cached tokens, bill and attempts', async () => {
    await open(`?model=${CACHED}&type=2`)
    const part = (name: string) => page.getByRole('region', { name })
    const expand = tableRows().last()
    await expand.getByRole('button', { name: /^Expand/ }).click()
    await part('Cost').getByRole('rowheader', { name: 'Cache read' }).waitFor()
    expect(await part('Overview').textContent()).toContain('Cache read20')
    expect(await part('Routing').textContent()).toContain('working')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expand.getByRole('button', { name: /^Collapse/ }).click()
    await part('Overview').waitFor({ state: 'detached' })
  })

  test('opens by its own URL with a step to the next one', async () => {
    const [newest, next] = await rows()
    await open(`?row=${newest?.id}`)
    await sheet().getByRole('button', { name: 'Next entry' }).click()
    await page.waitForURL(`**/log?row=${next?.id}`)
    await sheet().getByRole('button', { name: 'Close' }).click()
    await sheet().waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
  })

  test('opens beside the list on wide windows, with other rows one click away', async () => {
    await open()
    await tableRows().nth(0).getByRole('link', { name: TIME }).click()
    await sheet().waitFor()
    await tableRows().nth(1).getByRole('link', { name: TIME }).click()
    const second = (await rows())[1]
    await page.waitForURL(`**/log?row=${second?.id}`)
    await section('Raw')
      .getByText(second?.request_id ?? '')
      .waitFor()
  })
})

describe('filters', () => {
  test('show server counts, combine, and survive a reload and a new page size', async () => {
    await open()
    await chip('Model').click()
    await page.getByRole('listitem').filter({ hasText: CACHED }).getByText('3', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: CACHED, exact: true }).check()
    await page.getByRole('checkbox', { name: PER_CALL, exact: true }).check()
    await page.keyboard.press('Escape')
    await chip('Type').click()
    await page.getByRole('button', { name: /^Usage/ }).click()
    await waitUntil(
      { description: 'three rows', timeoutMs: 20_000 },
      async () => (await tableRows().count()) === 3,
    )
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('20')
    await page.reload()
    await tableRows().first().waitFor()
    expect(await tableRows().count()).toBe(3)
    const search = new URL(page.url()).searchParams
    expect(search.get('model')?.split(',').toSorted()).toEqual([PER_CALL, CACHED].toSorted())
    expect(search.get('type')).toBe('2')
  })

  test('offer log types without rows in the range', async () => {
    await open()
    await chip('Type').click()
    const option = page.getByRole('button', { name: /^System/ })
    await option.getByText('0', { exact: true }).waitFor()
    await option.click()
    await chip('Type: System').waitFor()
    await waitUntil(
      { description: 'no rows', timeoutMs: 20_000 },
      async () => (await tableRows().count()) === 0,
    )
    expect(new URL(page.url()).searchParams.get('type')).toBe('4')
  })

  test('include or exclude a clicked value', async () => {
    await open()
    const pick = async (value: string, action: string) => {
      await page
        .getByRole('button', { name: `Filter by ${value}`, exact: true })
        .first()
        .click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    const others = (await rows()).filter(row => row.model_name !== PER_CALL && row.type !== 5)
    await pick(PER_CALL, `Only ${PER_CALL}`)
    await waitUntil(
      { description: 'one row', timeoutMs: 20_000 },
      async () => (await tableRows().count()) === 1,
    )
    expect(new URL(page.url()).search).toBe(`?model=${PER_CALL}`)
    await pick(PER_CALL, `Exclude ${PER_CALL}`)
    await chip(`Model is not: ${PER_CALL}`).waitFor()
    await pick('Failed', 'Exclude Failed')
    await waitUntil({ description: 'the others', timeoutMs: 20_000 }, async () => {
      return (await tableRows().count()) === others.length
    })
    await page.reload()
    await chip('Type is not: Failed').waitFor()
    await tableRows().first().waitFor()
    expect(await tableRows().count()).toBe(others.length)
    await page.getByRole('button', { name: 'User root' }).first().click()
    await page.getByRole('button', { name: 'Exclude root' }).click()
    await page.getByText('No matching log entries').waitFor()
    await page.getByRole('button', { name: 'Clear all' }).first().click()
    await tableRows().first().waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('find a request by its id or report that there is none', async () => {
    const [newest] = await rows()
    await open()
    const box = page.getByRole('searchbox', { name: 'Request ID' })
    await box.fill(newest?.request_id ?? '')
    await page.keyboard.press('Enter')
    await waitUntil(
      { description: 'one row', timeoutMs: 20_000 },
      async () => (await tableRows().count()) === 1,
    )
    await box.fill('no-such-request')
    await page.keyboard.press('Enter')
    await page.getByText('No matching log entries').waitFor()
    await page.getByRole('button', { name: 'Clear all' }).last().click()
    await tableRows().nth(1).waitFor()
  })

  test('accept a preset or an exact range of time', async () => {
    await open()
    await page.getByRole('button', { name: 'Time: Last 30 days' }).click()
    await page.getByRole('button', { name: 'Yesterday' }).click()
    await page.getByText('No matching log entries').waitFor()
    await page.getByText('No requests in this range').waitFor()
    expect(new URL(page.url()).search).toBe('?range=yesterday')
    await page.getByRole('button', { name: 'Time: Yesterday' }).click()
    await page.getByLabel('From').fill('2030-01-02 00:00:00')
    await page.getByLabel('To', { exact: true }).fill('2030-01-01 00:00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('The end must not be before the start').waitFor()
    await page.getByLabel('From').fill('2020-01-01 00:00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await tableRows().first().waitFor()
    expect(new URL(page.url()).searchParams.get('from')).not.toBeNull()
  })
})

describe('totals and histogram', () => {
  test('load independently, so rows do not wait for slow totals', async () => {
    await page.route('**/api/log/stat*', () => undefined)
    await open()
    expect(await page.locator('dl dd').first().textContent()).toBe('')
    await page.unrouteAll()
  })

  test('show one error when all requests fail, with one button to retry all', async () => {
    const calls = /\/api\/log\//
    await page.route(calls, route => route.fulfill({ status: 500, body: '{}' }))
    await page.goto(`${site.gateway.url}/log`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByText(/internal server error/).count()).toBe(1)
    expect(await page.getByText('Page 1').count()).toBe(0)
    await page.unroute(calls)
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
    await tableRows().first().waitFor()
    await page.locator('dl dd').first().getByText('$').waitFor()
    await page.getByRole('slider').waitFor()
    expect(opened.problems().length).toBeGreaterThan(0)
    await openAs(site.root)
  })

  test('zoom with the keyboard', async () => {
    await open()
    const chart = page.getByRole('slider')
    await chart.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/log?from=*&to=*')
    const { searchParams } = new URL(page.url())
    expect(Number(searchParams.get('to')) - Number(searchParams.get('from')) + 1).toBe(2 * 3600)
  })

  test('zoom with the pointer', async () => {
    await open()
    const box = await page.getByRole('slider').boundingBox()
    if (!box) throw new Error('the chart has no place on the page')
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.9, box.y + 20)
    await page.mouse.up()
    await page.waitForURL('**/log?from=*&to=*')
  })

  test('show the same figures as a table', async () => {
    await open()
    await page.getByRole('button', { name: 'Show as table' }).click()
    const table = page.getByRole('dialog').getByRole('table')
    await table.waitFor()
    const cells = await table.locator('tbody td').allTextContents()
    const counted = cells.reduce((sum, cell) => sum + Number(cell), 0)
    expect(counted).toBe((await rows()).length)
  })
})

test('an error is grouped with its channel, filters the log, and its names are links', async () => {
  const error = '400 context_length_exceeded'
  await open()
  await page.getByRole('button', { name: 'By error' }).click()
  const row = page.getByRole('table', { name: 'Errors' }).getByRole('row').filter({ hasText: error })
  const channel = row.getByRole('link', { name: /^working #/ })
  expect(await channel.getAttribute('href')).toMatch(/^\/channel\/edit\/\d+$/)
  await row.getByRole('link', { name: error }).click()
  await chip(`Error: ${error}`).waitFor()
  await waitUntil(
    { description: 'one row', timeoutMs: 20_000 },
    async () => (await tableRows().count()) === 1,
  )
  expect(new URL(page.url()).searchParams.get('error')).toBe(error)
  const hrefs = await tableRows()
    .getByRole('link')
    .evaluateAll(links => links.map(link => link.getAttribute('href') ?? ''))
  expect(hrefs.map(href => href.replace(/\d+$/, '7')).slice(1)).toEqual([
    `/pricing?model=${CACHED}`,
    '/token?edit=7',
    '/channel/edit/7',
    '/user/edit/7',
  ])
})

describe('the page', () => {
  test('follows new rows while live and stops when paused', async () => {
    await open()
    await page.getByRole('button', { name: 'Live' }).click()
    const before = await page.getByRole('heading', { level: 1 }).textContent()
    await ask(MODEL, 'one more')
    await waitUntil({ description: 'the new row to be counted', timeoutMs: 20_000 }, async () => {
      return (await page.getByRole('heading', { level: 1 }).textContent()) !== before
    })
    await page.getByRole('button', { name: 'Pause' }).click()
    expect(new URL(page.url()).search).toBe('')
    await opened.settled()
    let requested = 0
    page.on('request', request => {
      if (new URL(request.url()).pathname.startsWith('/api/log/')) requested += 1
    })
    await sleepMs(LIVE_EVERY_MS * 2)
    expect(requested).toBe(0)
  })

  test('exports matching rows as CSV', async () => {
    await open(`?model=${PER_CALL}`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const text = await Bun.file(await (await download).path()).text()
    const lines = text.trim().split('\r\n')
    expect(lines.length).toBe(2)
    expect(lines[0]).toContain(',Cost (USD),')
    expect(lines[1]).toContain(PER_CALL)
  })

  test('links a receipt that anybody can read and print', async () => {
    await open(`?model=${PER_CALL}`)
    await tableRows()
      .first()
      .getByRole('link', { name: /^\d{4}-/ })
      .click()
    await page.getByRole('button', { name: 'Copy receipt link' }).click()
    await waitInPage(page, 'window.copied !== ""')
    const { pathname, search } = new URL(await page.evaluate<string>('window.copied'))
    expect(pathname).toBe('/receipt')
    await openAs(undefined)
    await page.goto(site.gateway.url + pathname + search)
    await page.getByRole('heading', { level: 1, name: 'Receipt' }).waitFor()
    await page.getByText(PER_CALL).first().waitFor()
    await page.getByRole('rowheader', { name: 'Total' }).waitFor()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await page.goto(`${site.gateway.url}${pathname}${search}0`)
    await page.getByText('the link is not valid or has expired').waitFor()
  })

  test('hides amounts and names in privacy mode', async () => {
    await open()
    await page.getByText('$').first().waitFor()
    await page.getByRole('button', { name: 'Hide amounts and usernames' }).click()
    expect(await page.locator('main').textContent()).not.toContain('$')
    expect(await tableRows().first().textContent()).not.toContain('root')
  })

  test('shows user names to administrators', async () => {
    await open()
    await page.getByRole('button', { name: 'User root' }).first().click()
    await page.getByText('Balance').last().waitFor()
    await page.getByRole('button', { name: 'Only root' }).click()
    expect(new URL(page.url()).search).toBe('?user=root')
  })

  test('shows regular users their own rows without channels', async () => {
    const client = await addUser(site.gateway, { username: 'ann', wallet: 5_000_000 })
    const own = await openConsole(browser, site.gateway, { client })
    await own.page.goto(`${site.gateway.url}/log`)
    await own.page.getByText('No log entries yet').waitFor()
    const token = await addToken(client, { name: 'ann' })
    await callChat({
      url: site.gateway.url,
      key: token.key,
      body: { model: MODEL, messages: [{ role: 'user', content: 'hello' }] },
    })
    await own.page.getByRole('button', { name: 'Refresh' }).click()
    const row = own.page.locator('tbody tr[data-row]')
    await row.waitFor()
    expect(await own.page.locator('main').textContent()).not.toContain('working')
    await row.getByRole('link', { name: TIME }).click()
    await own.page.getByText('Attempt 1').waitFor()
    expect(await own.page.getByRole('dialog').textContent()).not.toContain('working')
    await own.close()
  })

  test('goes to the last page when the requested one no longer exists', async () => {
    await open('?p=99')
    expect(new URL(page.url()).searchParams.get('p')).toBeNull()
  })

  test('shows cards on a phone', async () => {
    const phone = await openConsole(browser, site.gateway, {
      view: { ...DESKTOP, width: 390 },
      client: site.root,
    })
    await phone.page.goto(`${site.gateway.url}/log?model=${PER_CALL}`)
    await phone.page.getByRole('link', { name: PER_CALL }).first().click()
    await phone.page.getByRole('dialog').getByText('Per call').waitFor()
    expect(
      await phone.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0)
    await phone.close()
  })
})

test('a rejected request says why and leads to its remedy in three clicks', async () => {
  const user = await addUser(site.gateway, { username: 'penniless', wallet: 0 })
  const { key: poor } = await addToken(user, { name: 'empty' })
  const { requestId } = await callChat({ url: site.gateway.url, key: poor, body: chatOf(MODEL) })
  const isLogged = async () =>
    (await site.root.call(listLogs, { query: { request_id: requestId } })).items.length === 1
  await waitUntil({ description: 'the row of the rejected request', timeoutMs: 20_000 }, isLogged)
  const explain = async (remedy: string) => {
    await page.goto(`${site.gateway.url}/log`)
    await page.getByRole('searchbox', { name: 'Request ID' }).click()
    await page.keyboard.type(requestId)
    await page.keyboard.press('Enter')
    await waitUntil({ description: 'one row', timeoutMs: 20_000 }, async () => {
      return (await tableRows().count()) === 1
    })
    await tableRows().getByRole('link', { name: TIME }).click()
    await section('Overview').getByText('403 · insufficient_user_quota').waitFor()
    await section('Cost').getByText('Nothing was charged.').waitFor()
    await section('Overview').getByRole('link', { name: remedy }).click()
  }
  await explain('Raise balance')
  await page.waitForURL(/\/user\/edit\/\d+/)
  await openAs(user)
  await explain('Top up')
  await page.waitForURL('**/topup')
})
