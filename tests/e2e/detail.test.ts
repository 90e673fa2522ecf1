import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { bucketOf } from '#server/core/sketch.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { describeConsole, openAs, openOnce, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'

const DOLLAR = 500_000
const DAY = 24 * 3600
const HOUR = 3600
const MODEL = 'gpt-4o-mini'
const INTERVAL_MINUTES = 3

let anna: AdminClient

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, {
    DataExportEnabled: true,
    DataExportDefaultTime: 'day',
    DataExportInterval: INTERVAL_MINUTES,
  })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  anna = await addUser(site.gateway, { username: 'anna', wallet: 10 * DOLLAR })
  await used(anna, { model_name: 'gpt-4o', quota: 3 * DOLLAR, daysAgo: 1 })
  await used(anna, { model_name: 'o1', quota: DOLLAR, daysAgo: 2 })
  await used(anna, { model_name: 'o1', quota: 2 * DOLLAR, daysAgo: 10 })
  await used(anna, { model_name: 'older', quota: 9 * DOLLAR, daysAgo: 50 })
  await used(site.root, { model_name: 'of-root', quota: 5 * DOLLAR, daysAgo: 1 })
  for (let index = 0; index < 9; index++)
    await used(site.root, { model_name: `a-model-with-a-long-name-${index}`, quota: 1, daysAgo: 1 })
})

beforeEach(() => openAs(anna))

interface Used {
  readonly model_name: string
  readonly quota: number
  readonly daysAgo: number
}

async function used(client: AdminClient, { daysAgo, ...usage }: Used): Promise<void> {
  const at = Math.floor(Date.now() / 1000) - daysAgo * DAY
  const row = { hour: at - (at % HOUR), user_id: client.userId, token_id: 1, channel_id: 1, group: 'default' }
  const counts = { type: 2, count: 4, prompt_tokens: 60, completion_tokens: 40 }
  await inDatabase(site.gateway, db => addToUsageHours(db, [{ ...row, ...counts, ...usage }]))
}

async function openDashboard(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/detail${search}`)
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
}

const shares = () => page.getByRole('list', { name: 'Share by model' }).getByRole('listitem')
const card = (label: string) => page.locator('dl > div', { has: page.getByText(label, { exact: true }) })

test('sums the own usage of the range and compares it with the previous period', async () => {
  await openDashboard()
  expect(await page.getByRole('button', { name: 'Day', exact: true }).getAttribute('aria-pressed')).toBe(
    'true',
  )
  await page.getByText('$4.00, 75% of it from gpt-4o').waitFor()
  await card('Used').getByText('$4.00').waitFor()
  await card('Used').getByText('↑ 100% vs. the previous period').waitFor()
  await card('Requests').getByText('8', { exact: true }).waitFor()
  await card('Tokens').getByText('200').waitFor()
  await card('Balance').getByText('$10.00').waitFor()
  expect(await shares().allInnerTexts()).toEqual(['gpt-4o\n$3.00\n75%', 'o1\n$1.00\n25%'])
})

test('refreshes itself at the interval of the installation', async () => {
  await openOnce(anna)
  await page.clock.install()
  await openDashboard()
  await card('Requests').getByText('8', { exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  let requests = 0
  page.on('request', request => {
    requests += Number(request.url().includes('/api/data/self'))
  })
  await page.clock.fastForward(INTERVAL_MINUTES * 60_000 - 5000)
  await page.waitForLoadState('networkidle')
  expect(requests).toBe(0)
  const refreshed = page.waitForRequest(/api.data.self/)
  await page.clock.fastForward(5000)
  await refreshed
})

test('does not widen for models with long names', async () => {
  await openAs(site.root)
  await page.setViewportSize({ width: 1024, height: 800 })
  await openDashboard()
  await shares().first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
})

test('keeps its layout while figures load', async () => {
  const { promise: isTime, resolve: letThrough } = Promise.withResolvers<void>()
  await page.route('**/api/data/**', async route => {
    await isTime
    await route.continue()
  })
  await openDashboard()
  const heights = () =>
    Promise.all(
      ['Usage over time', 'Share by model'].map(
        async name => (await page.getByRole('region', { name }).boundingBox())?.height,
      ),
    )
  const waiting = await heights()
  letThrough()
  await page.getByText('$4.00, 75% of it from gpt-4o').waitFor()
  expect(await heights()).toEqual(waiting)
})

test('counts requests and tokens, and keeps range, granularity and measure in the URL', async () => {
  await openDashboard('?range=30d&by=week')
  await page.getByText('$6.00, 50% of it from').waitFor()
  await page.getByRole('button', { name: 'Tokens', exact: true }).click()
  await page.getByText('300, 66.7% of it from o1').waitFor()
  await page.getByRole('button', { name: 'Hour' }).click()
  await page.reload()
  expect(new URL(page.url()).search).toBe('?range=30d&by=hour&view=tokens')
  await page.getByText('300, 66.7% of it from o1').waitFor()
})

test('limits a regular user to thirty days with a notice', async () => {
  const now = Math.floor(Date.now() / 1000)
  await openDashboard(`?from=${now - 60 * DAY}&to=${now}`)
  await page.getByText('You can view up to 30 days').waitFor()
  await page.getByText('$6.00, 50% of it from').waitFor()
})

const widthOf = async (part: Locator) => (await part.boundingBox())?.width ?? 0

test('shows administrators all users or one, with any number of models', async () => {
  await openAs(site.root)
  await openDashboard('?range=7d')
  await page.getByText('$9.00, 55.6% of it from of-root').waitFor()
  const panel = page.getByRole('region', { name: 'Usage over time' })
  expect(await widthOf(panel.getByRole('slider'))).toBeGreaterThan((await widthOf(panel)) * 0.8)
  await page.getByRole('searchbox', { name: 'Username' }).fill('anna')
  await page.getByText('$4.00, 75% of it from gpt-4o').waitFor()
})

test('tells operators what needs attention, what the day brought, and who spent most yesterday, without a click', async () => {
  const yesterday = new Date(Date.now() - DAY * 1000).setHours(12, 0, 0, 0) / 1000
  const today = Math.max(Math.floor(Date.now() / 1000) - HOUR, new Date().setHours(0, 0, 0, 0) / 1000)
  const spent = (client: AdminClient, minute: number, dollars: number) => ({
    ...NO_SUMS,
    minute: minute - (minute % 60),
    user_id: client.userId,
    token_id: 0,
    channel_id: 1,
    model_name: MODEL,
    group: 'default',
    dialect: 'openai',
    error: '',
    region: '',
    plan: '',
    first_token: String(bucketOf(900)),
    duration: String(bucketOf(1500)),
    requests: 4,
    errors: 1,
    quota: dollars * DOLLAR,
    costed_quota: dollars * DOLLAR,
    cost_nanos: dollars * 250_000_000,
  })
  await inDatabase(site.gateway, db =>
    insertMinutes(db, [
      spent(anna, yesterday, 7),
      spent(site.root, yesterday, 3),
      spent(site.root, today, 2),
    ]),
  )
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['model-without-a-price'] })
  await openAs(site.root)
  await openDashboard('?range=7d')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('Model model-without-a-price cannot be called for want of a price').waitFor()
  await card('Revenue').getByText('$12.00').waitFor()
  await card('Cost').getByText('$3.00').waitFor()
  await card('Margin').getByText('$9.00').waitFor()
  await card('Error rate').getByText('25%').waitFor()
  await card('First token (p95)')
    .getByText(/^0\.\d+ s$/)
    .waitFor()
  expect(await page.getByText('Balance', { exact: true }).count()).toBe(0)
  const top = page.getByRole('list', { name: 'Top spenders yesterday' }).getByRole('listitem')
  await top.first().waitFor()
  expect(await top.allInnerTexts()).toEqual(['anna\n$7.00\n70%', 'root\n$3.00\n30%'])
})

test('offers the chart by keyboard, as a table and as a file, with links to the log', async () => {
  await openDashboard()
  const chart = page.getByRole('slider', { name: /\$4\.00, 75%/ })
  await chart.focus()
  await chart.press('ArrowLeft')
  expect(await chart.getAttribute('aria-valuetext')).toContain('gpt-4o $3.00')
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('dialog').getByRole('columnheader', { name: 'gpt-4o' }).waitFor()
  await page.keyboard.press('Escape')
  for (const [name, file] of [
    ['Export CSV', 'usage.csv'],
    ['Save image', 'usage.png'],
  ] as const) {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    expect((await download).suggestedFilename()).toBe(file)
  }
  await shares().first().getByRole('link').click()
  await page.waitForURL('**/log?*model=gpt-4o*')
})

test('guides a new user from the first token to the first response', async () => {
  const bert = await addUser(site.gateway, { username: 'bert', wallet: DOLLAR })
  await openAs(bert)
  await openDashboard()
  const steps = page.getByRole('region', { name: 'Get started in three steps' })
  await steps.getByRole('link', { name: 'Create a token' }).waitFor()
  await page.getByText('No usage in this range').first().waitFor()
  const { key } = await addToken(bert, { name: 'first' })
  await page.reload()
  await steps.getByText('Waiting for the first request…').waitFor()
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('region', { name: 'Most used tokens' }).getByRole('link', { name: 'first' }).waitFor()
  const messages = [{ role: 'user', content: 'hello [lab: context-length]' }]
  await callChat({ url: site.gateway.url, key, body: { ...body, messages } })
  await page.reload()
  await page.getByRole('region', { name: 'Recent failures' }).getByRole('link', { name: MODEL }).waitFor()
})

test('is hidden when the administrator disables it', async () => {
  await setOptions(site.root, { DataExportEnabled: false })
  await openDashboard()
  await page.getByText('The dashboard is turned off').waitFor()
  expect(await page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0)
  await setOptions(site.root, { DataExportEnabled: true })
})
