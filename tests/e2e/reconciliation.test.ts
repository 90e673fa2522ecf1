import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createReconciliation } from '#features/reconciliation/contract.ts'
import { withReconciliationTables } from '#features/reconciliation/server/tables.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { addUser } from '../harness/add-user.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { DESKTOP, VIEW_VARIANTS } from '../harness/open-console.ts'
import { findChinese, findStructureViolations, findViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitInPage } from '../harness/wait-in-page.ts'

const DAY = 86_400
const DOLLAR = 1_000_000_000
const HEIGHT = 900
const START = (Math.floor(Date.now() / 1000 / DAY) - 3) * DAY
const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
const [FIRST, SECOND] = [dateOf(START), dateOf(START + DAY)]
const BILL = {
  name: 'bill.csv',
  text: `date,model,cost_usd,requests\n${FIRST},gpt-4o-2024-08-06,3,4\n${SECOND},gpt-4o,2.5,2\n${SECOND},web search,0.25,0\n`,
}

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, {
    DataExportEnabled: true,
    Chats: JSON.stringify([{ Chat: 'https://chat.example/#{key}' }]),
  })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o'] })
  const served = (minute: number, requests: number, dollars: number) => ({
    ...NO_SUMS,
    minute,
    user_id: 1,
    token_id: 0,
    channel_id: 1,
    model_name: 'gpt-4o',
    group: 'default',
    dialect: 'openai',
    error: '',
    region: '',
    plan: '',
    first_token: '',
    duration: '',
    requests,
    quota: 500_000,
    costed_quota: 500_000,
    cost_nanos: dollars * DOLLAR,
    input_tokens: 1000,
  })
  await inDatabase(site.gateway, db => insertMinutes(db, [served(START, 4, 3), served(START + DAY, 2, 1.5)]))
})

async function open(search = '', client = site.root, view = DESKTOP): Promise<void> {
  await openAs(client, view)
  await page.goto(`${site.gateway.url}/detail?tab=reconciliation${search}`)
  await opened.settled()
}

const result = () => page.getByRole('region', { name: 'Result' })
const rowTexts = async (name: string) =>
  (await result().getByRole('region', { name }).locator('tbody tr').allInnerTexts()).map(text =>
    text.trim().split(/\s*\t\s*|\n+/),
  )

async function chooseChannel(): Promise<void> {
  await page.getByLabel('Channels', { exact: true }).click()
  await page.getByRole('option', { name: /^#1 / }).click()
  await page.keyboard.press('Escape')
}

test('compares a file with what was computed, by model and day, and keeps the result', async () => {
  await open()
  await page.getByText('No reconciliations yet').waitFor()
  await chooseChannel()
  await page.getByText(/Channels without purchase prices/).waitFor()
  await page
    .getByLabel('Files of the bill (CSV)')
    .setInputFiles({ name: BILL.name, mimeType: 'text/csv', buffer: Buffer.from(BILL.text) })
  await page.getByRole('button', { name: 'Compare' }).click()
  await result().waitFor()
  expect(await rowTexts('By model')).toEqual([
    ['gpt-4o', 'Off', '$5.50', '$4.50', '+$1.00', '+18.18%', '6', '6', '0'],
    ['web search', 'Off', '$0.25', '$0.00', '+$0.25', '+100.00%', '0', '0', '0'],
  ])
  await result()
    .getByText('The bill has $0.25 for models that these channels did not serve: web search.')
    .waitFor()
  await result().getByText('By day').click()
  expect(await rowTexts('By day')).toEqual([
    [FIRST, '$3.00', '$3.00', '$0.00', '0.00%', '4', '4', '0'],
    [SECOND, 'Off', '$2.75', '$1.50', '+$1.25', '+45.45%', '2', '2', '0'],
  ])
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    result().getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`reconciliation-by-day-${FIRST}-to-${SECOND}.csv`)
  expect(readFileSync(await file.path(), 'utf8')).toContain('(total),5.75,4.5,1.25,21.74,yes,6,0,6')
  await page.reload()
  await result().getByText('bill.csv').first().waitFor()
  await result().getByRole('button', { name: 'Close result' }).click()
  await result().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^View bill.csv/ }).click()
  await result().waitFor()
  await page.getByRole('button', { name: /^Delete bill.csv/ }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No reconciliations yet').waitFor()
  await result().waitFor({ state: 'detached' })
})

test('compares two readings of a balance with the costs in between', async () => {
  const reading = (created_at: number, balance: number) => ({
    channel_id: 1,
    created_at,
    balance,
    currency: 'USD',
  })
  await open()
  await chooseChannel()
  await page.getByRole('radio', { name: 'Balance' }).focus()
  await page.getByText('Balance', { exact: true }).click()
  await page.getByText('There are 0 readings so far, and 2 are needed.').waitFor()
  await inDatabase(site.gateway, db =>
    withReconciliationTables(db)
      .insertInto('balance_readings')
      .values([reading(START - 60, 20), reading(START + 2 * DAY, 17.5)])
      .execute(),
  )
  await page.getByRole('button', { name: 'Read balance now' }).click()
  await page.getByLabel('Later reading').waitFor()
  expect(await page.getByLabel('Later reading').locator('option').allInnerTexts()).toEqual([
    expect.stringMatching(/ USD$/),
    expect.stringMatching(/ 17.5 USD$/),
    expect.stringMatching(/ 20 USD$/),
  ])
  await page.getByLabel('Earlier reading').selectOption('1')
  await page.getByLabel('Later reading').selectOption('2')
  await page.getByLabel('Paid in between (dollars)').fill('lots')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('Enter an amount from 0').waitFor()
  await page.getByLabel('Paid in between (dollars)').fill('3')
  await page.getByRole('button', { name: 'Compare' }).click()
  await result().getByText('Balance $20.00 → $17.50, paid in between: $3.00').waitFor()
  await result().getByText('+$1.00').first().waitFor()
  await result().getByText('The account was charged $1.00 more than our cost').waitFor()
  expect(await rowTexts('By model')).toEqual([['gpt-4o', '–', '$4.50', '–', '–', '6', '0']])
  await page.getByRole('button', { name: /^Delete Balance/ }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No reconciliations yet').waitFor()
})

test('is used with the keyboard, says what is missing, and which row cannot be read', async () => {
  await open()
  await page.getByRole('button', { name: 'Compare' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Choose a channel', { exact: true }).waitFor()
  await page.getByText('Choose a file', { exact: true }).waitFor()
  await page.getByLabel('Channels', { exact: true }).focus()
  await page.keyboard.type('#1')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('radio', { name: 'File' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByLabel('Content of the bill (CSV)').fill(`${BILL.text}${SECOND},gpt-4o,lots,1\n`)
  await page.getByRole('button', { name: 'Compare' }).focus()
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText('Pasted content cannot be read, row 5: cost_usd "lots" is not a number of dollars')
    .waitFor()
})

test('is for administrators only', async () => {
  const bert = await addUser(site.gateway, { username: 'bert', wallet: 1 })
  await open('', bert)
  await page.getByRole('radio', { name: 'Overview' }).waitFor()
  expect(await page.getByRole('radio', { name: 'Reconciliation' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0)
})

test('says that a reconciliation is gone, and lets lists that fail be loaded again', async () => {
  await open('&bill=999')
  await page.getByText('there is no such reconciliation').waitFor()
  await openAs(site.root)
  await page.route('**/api/reconciliation/**', route =>
    route.fulfill({ json: { success: false, message: 'out of order' } }),
  )
  await page.goto(`${site.gateway.url}/detail?tab=reconciliation`)
  await page.getByText('out of order').nth(1).waitFor()
  await page.unroute('**/api/reconciliation/**')
  await page.getByRole('button', { name: 'Retry' }).first().click()
  await page.getByRole('button', { name: 'Compare' }).waitFor()
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('No reconciliations yet').waitFor()
  await page.getByRole('button', { name: 'Compare' }).waitFor()
})

test.each(VIEW_VARIANTS.map(variant => [`${variant.language} ${variant.theme}`, variant] as const))(
  'is accessible and translated at every width: %s',
  async (_, { widths, ...view }) => {
    const { id } = await site.root.call(createReconciliation, {
      body: { channel_ids: [1], start_date: '', end_date: '', files: [BILL] },
    })
    const [first] = widths
    await open(`&bill=${id}`, site.root, { ...view, width: first })
    expect(await findViolations(page)).toEqual([])
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHT })
      // The page takes its new width in the next frame.
      await waitInPage(page, 'document.documentElement.scrollWidth === innerWidth')
      expect(await findStructureViolations(page)).toEqual([])
    }
    if (view.language === 'en') expect(await findChinese(page)).toEqual([])
  },
)
