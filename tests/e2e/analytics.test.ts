import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { bucketOf } from '#server/core/sketch.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { DESKTOP, VIEW_VARIANTS } from '../harness/open-console.ts'
import { findChinese, findStructureViolations, findViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitInPage } from '../harness/wait-in-page.ts'

const HOUR = 3600
const DAYS = 6
const DOLLAR = 500_000
const NANOS = 1_000_000_000
const HEIGHT = 900
const DIALECTS = ['openai', 'anthropic', 'responses']

let anna: AdminClient

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, {
    DataExportEnabled: true,
    RequestTagKeys: 'course',
    Chats: JSON.stringify([{ Chat: 'https://chat.example/#{key}' }]),
  })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o'] })
  anna = await addUser(site.gateway, { username: 'anna', wallet: 10 * DOLLAR })
  await inDatabase(site.gateway, async db => {
    await insertMinutes(db, [...requestsOf(anna, 0), ...requestsOf(site.root, 1)])
  })
})

/** Two models an hour, one of which is used twice as much, and a failure every sixth hour. */
function requestsOf({ userId }: AdminClient, offset: number) {
  const now = Math.floor(Date.now() / 1000)
  const hour = now - (now % HOUR)
  return Array.from({ length: DAYS * 24 }, (_, n) => n).flatMap(n => {
    const key = {
      ...NO_SUMS,
      minute: hour - n * HOUR,
      user_id: userId,
      token_id: 0,
      channel_id: 1,
      group: 'default',
      dialect: DIALECTS[n % DIALECTS.length] ?? '',
      error: '',
      region: n % 2 ? 'eu' : '',
      plan: '',
      requests: 1,
      first_token: '',
      duration: '',
    }
    const served = (model_name: string, dollars: number) => ({
      ...key,
      model_name,
      quota: dollars * DOLLAR,
      costed_quota: dollars * DOLLAR,
      cost_nanos: dollars * 0.75 * NANOS,
      input_tokens: 1000 + (n % 7) * 100,
      output_tokens: 200,
      first_token: String(bucketOf(200 + (n % 9) * 50)),
      duration: String(bucketOf(2000 + (n % 11) * 500)),
    })
    return [
      served(offset === 0 ? 'gpt-4o' : 'o3-mini', 0.5),
      served('claude-sonnet-4-5', 0.25),
      ...(n % 6 === 0
        ? [{ ...key, model_name: 'gpt-4o', requests: 1, errors: 1, error: '429 rate_limited' }]
        : []),
    ]
  })
}

async function open(client: AdminClient, search = '', view = DESKTOP): Promise<void> {
  await openAs(client, view)
  await page.goto(`${site.gateway.url}/detail?tab=analytics${search}`)
  await opened.settled()
}

const rows = () => page.getByRole('region', { name: 'Groups' }).locator('tbody tr')
const rowTexts = async () => (await rows().allInnerTexts()).map(text => text.trim().split(/\s*\t\s*/))
const chart = () => page.getByRole('region', { name: 'Over time' })

test('measures any dimension by any other, and keeps the choice in the address', async () => {
  await open(site.root)
  await chart().getByText('Requests: 624').waitFor()
  expect((await rowTexts()).map(([model, requests]) => [model, requests])).toEqual([
    ['claude-sonnet-4-5', '288'],
    ['gpt-4o', '192'],
    ['o3-mini', '144'],
  ])
  await page.getByLabel('Measure').selectOption('Margin')
  await page.getByLabel('By', { exact: true }).selectOption('User')
  await page.getByLabel('Then by').selectOption('Client format')
  await chart().getByText('Margin: $54.00').waitFor()
  await rows().nth(7).waitFor()
  const shown = await rowTexts()
  expect(shown.map(([, format]) => format).filter((_, index) => index % 4 === 0)).toEqual(['All', 'All'])
  expect(shown.map(([, , margin]) => margin)).toEqual(
    Array(2).fill(['$27.00', '$9.00', '$9.00', '$9.00']).flat(),
  )
  await page.getByLabel('Compare with the previous period').check()
  await page.getByRole('columnheader', { name: 'Change' }).waitFor()
  await page.reload()
  await chart().getByText('Margin: $54.00').waitFor()
  expect(new URL(page.url()).search).toBe('?tab=analytics&measure=margin&first=user&second=dialect&compare=1')
})

test('has percentiles, sorts by any column, and opens a part of the chart with the keyboard', async () => {
  await open(site.root, '&measure=duration_p95&first=region')
  await chart()
    .getByText(/^Duration p95: [67](\.\d+)? s$/)
    .waitFor()
  await page.getByRole('button', { name: 'Failed' }).click()
  expect(await page.getByRole('columnheader', { name: 'Failed' }).getAttribute('aria-sort')).toBe(
    'descending',
  )
  const slider = chart().getByRole('slider')
  await slider.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/eu \d/)
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL(/from=\d+&to=\d+/)
})

test('filters by a value, and leads to the same requests in the log', async () => {
  await open(site.root, '&first=user&second=error')
  await rows().getByRole('button', { name: '429 rate_limited' }).first().click()
  await chart().getByText('Requests: 48').waitFor()
  await rows().getByRole('button', { name: 'anna' }).first().click()
  await chart().getByText('Requests: 24').waitFor()
  await page.getByRole('link', { name: 'View log' }).last().click()
  await page.waitForURL(/\/log\?/)
  const address = new URL(page.url()).searchParams
  expect([address.get('user'), address.get('error')]).toEqual(['anna', '429 rate_limited'])
  await page.goBack()
  await page.getByRole('button', { name: 'Remove the filter User anna' }).click()
  await chart().getByText('Requests: 48').waitFor()
})

test('shows users their own requests, without channels, users, cost and margin', async () => {
  await open(anna)
  await chart().getByText('Requests: 312').waitFor()
  expect(await page.getByLabel('By', { exact: true }).locator('option').allInnerTexts()).toEqual([
    'Model',
    'Token',
    'Group',
    'Client format',
    'Error',
    'Region',
    'Plan',
    'Tag course',
  ])
  expect(await page.getByLabel('Measure').locator('option').allInnerTexts()).not.toContain('Margin')
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'Model',
    'Requests',
    'Failed',
    'Cost',
    'Tokens',
    'View log',
  ])
})

test('groups by a tag, and filters by one that a link names', async () => {
  await open(anna)
  await page.getByLabel('By', { exact: true }).selectOption('Tag course')
  await page.getByRole('columnheader', { name: 'Tag course' }).waitFor()
  expect((await rowTexts()).map(([value, requests]) => [value, requests])).toEqual([['Untagged', '312']])
  expect(new URL(page.url()).search).toBe('?tab=analytics&first=tag&key=course')
  await open(anna, '&tag=course%3Dphysics')
  await page.getByRole('button', { name: 'Remove the filter Tag course=physics' }).click()
  await chart().getByText('Requests: 312').waitFor()
})

test('exports the groups with their total, also while they load', async () => {
  await openAs(site.root)
  const { promise: isTime, resolve: letThrough } = Promise.withResolvers<void>()
  await page.route(/\/api\/analytics\/\?/, async route => {
    await isTime
    await route.continue()
  })
  await page.goto(`${site.gateway.url}/detail?tab=analytics&first=model&second=channel&measure=revenue`)
  const exported = page.waitForResponse(/\/api\/analytics\/export\?/)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  await exported
  letThrough()
  const file = await download
  expect(file.suggestedFilename()).toMatch(
    /^analytics-by-model-and-channel-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/,
  )
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines.at(-1)).toStartWith('(total),,624,48,216,162,54,')
})

test('distinguishes no requests, figures that load, and a server that fails', async () => {
  await open(site.root, '&model=no-such-model')
  await page.getByText('No requests in this range').waitFor()
  await openAs(site.root)
  await page.route('**/api/analytics/**', route =>
    route.fulfill({ json: { success: false, message: 'out of order' } }),
  )
  await page.goto(`${site.gateway.url}/detail?tab=analytics`)
  await page.getByText('out of order').waitFor()
  await page.unroute('**/api/analytics/**')
  await page.getByRole('button', { name: 'Retry' }).click()
  await chart().getByText('Requests: 624').waitFor()
})

test.each(VIEW_VARIANTS.map(variant => [`${variant.language} ${variant.theme}`, variant] as const))(
  'is accessible and translated at every width: %s',
  async (_, { widths, ...view }) => {
    const [first] = widths
    await open(site.root, '&second=user&compare=1&measure=revenue', { ...view, width: first })
    await page.getByRole('slider').waitFor()
    expect(await findViolations(page)).toEqual([])
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHT })
      // The chart takes its new width in the next frame.
      await waitInPage(page, 'document.documentElement.scrollWidth <= innerWidth')
      expect(await findStructureViolations(page)).toEqual([])
    }
    if (view.language === 'en') expect(await findChinese(page)).toEqual([])
  },
)
