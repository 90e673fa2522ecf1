import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Browser, Page } from 'playwright-core'
import { getReauthentication } from '#contract/accounts/reauthentication.ts'
import { updateSelf } from '#contract/entities/user.ts'
import { getInvitationCode, register } from '#features/account/contract.ts'
import { type LogEntry, listLogs } from '#features/logs/contract/logs.ts'
import { createPlan } from '#features/plans/contract/plans.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { insertTask } from '#server/testing/insert-task.ts'
import { openBrowser } from '../harness/browser.ts'
import { callChat } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type OpenConsole, openConsole, VIEW_VARIANTS } from '../harness/open-console.ts'
import {
  findChinese,
  findLeakedValues,
  findPoorContrast,
  findStructureViolations,
} from '../harness/page-checks.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const LONG_NAME = 'a channel whose name says all there is to know of it, '.repeat(2).slice(0, 100).trim()
const HEIGHT = 900
const IMAGE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

let site: Site
let browser: Browser
let channelId = 0
let rowId = 0

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startSite(), openBrowser()])
  await setOptions(site.root, {
    Chats: '[]',
    UserUsableGroups: { default: 'Everybody' },
    RetryTimes: 1,
  })
  await site.root.call(createRedemptions, { body: { name: 'gift', quota: 500, count: 1 } })
  const windows = [{ period: 'month', amount: 30_000_000 } as const]
  await site.root.call(createPlan, { body: { name: 'Pro', price: 10_000_000, windows } })
  const draft = { tag: 'team', model_mapping: '{"a":"b"}' }
  const channel = { provider: 'openai', models: [MODEL], name: LONG_NAME } as const
  await addLabChannel(site.root, site.lab, { ...channel, priority: 9, scenario: 'status-503' })
  const { id } = await addLabChannel(site.root, site.lab, { ...channel, draft })
  const { key } = await addToken(site.root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  const row: LogEntry = await waitUntil(
    { description: 'the row of the request', timeoutMs: 20_000 },
    async () => {
      const { items }: { items: LogEntry[] } = await site.root.call(listLogs)
      return items[0]
    },
  )
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
  ['the preview of a route', () => `/channel?preview=1&route=${MODEL}`],
  ['a tag', () => '/channel?tagmode=1&tag=team'],
  ['new redemption codes', () => '/redemption?edit=new'],
  ['a redemption code', () => '/redemption?edit=1'],
  ['a new user', () => '/user/add'],
  ['a user', () => `/user/edit/${site.root.userId}`],
  ['a row of the log', () => `/log?row=${rowId}`],
  ['a price', () => `/pricing?model=${MODEL}`],
]

describe.each(VIEW_VARIANTS)('in $language with the $theme theme', ({ language, theme, widths }) => {
  /** One window opens every overlay: a new window costs more than the checks. */
  let opened: OpenConsole
  let problemsFound = 0

  beforeAll(async () => {
    const view = { language, theme, width: widths[0] }
    opened = await openConsole(browser, site.gateway, { view, client: site.root })
  })
  afterAll(() => opened.close())

  test.each([...OVERLAYS])(
    'the sheet or dialog of %s is accessible and fits every width',
    async (_, path) => {
      const { page } = opened
      await page.setViewportSize({ width: widths[0], height: HEIGHT })
      await opened.visit(path())
      await page.getByRole('dialog').waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: HEIGHT })
        await opened.settled()
        expect(await findStructureViolations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        )
        expect(await findCutSections(page)).toEqual([])
      }
      expect(await findPoorContrast(page, POPUP)).toEqual([])
      expect(await page.getByRole('dialog').count()).toBe(1)
      expect(await findLeakedValues(page)).toEqual([])
      if (language === 'en') expect(await findChinese(page)).toEqual([])
      const problems = opened.problems().slice(problemsFound)
      problemsFound += problems.length
      expect(problems).toEqual([])
    },
  )
})

/** Everything that opens above a page. */
const POPUP = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
const OF_A_HIDDEN_PAGE = /^(aria-hidden-focus|page-has-heading-one) /
const PHONE_WIDTH = 390
const WIDE_WIDTH = 1440
const ESCAPES_MAX = 4

interface PageOverlay {
  readonly name: string
  /** The files that draw it, below `console/`. */
  readonly files: readonly string[]
  readonly path: string
  /** Pages are desktop pages by default. */
  readonly isPhone?: boolean
  /** A list that keeps the focus to itself, as axe expects of dialogs only: it may hide the page, which cannot be reached. */
  readonly keepsFocus?: boolean
  readonly open: (page: Page) => Promise<unknown>
  /** Where Escape does not close it. */
  readonly close?: (page: Page) => Promise<unknown>
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
const press = (name: string | RegExp) => (page: Page) => button(page, name).click()
const pressKey = (key: string) => (page: Page) => page.keyboard.press(key)
/** Opens a menu and chooses one of its items. */
const choose = (menu: string, item: string) => async (page: Page) => {
  await press(menu)(page)
  await page.getByRole('menuitem', { name: item }).click()
}
const inDialog = (page: Page) => page.getByRole('dialog').last()

const SHELL: readonly PageOverlay[] = [
  {
    name: 'the announcement, which opens by itself',
    files: ['console/app/shell/notice-dialog.tsx', 'console/ui/overlays/dialog.tsx'],
    path: '/token',
    open: page => page.getByText('Maintenance on Sunday').waitFor(),
  },
  {
    name: 'the palette',
    files: ['console/app/shell/palette.tsx'],
    path: '/token',
    open: pressKey('Control+k'),
  },
  {
    name: 'the shortcuts',
    files: ['console/app/shell/shortcut-sheet.tsx'],
    path: '/token',
    open: pressKey('?'),
  },
  {
    name: 'the user menu',
    files: ['console/app/shell/header.tsx', 'console/ui/overlays/menu-popup.tsx'],
    path: '/token',
    open: press('User menu'),
  },
  {
    name: 'the bell of operators',
    files: ['features/dashboard/console/attention/bell.tsx'],
    path: '/token',
    async open(page) {
      await page.keyboard.press('Shift')
      await press(/^What needs attention/)(page)
    },
  },
  {
    name: 'the navigation drawer',
    files: ['console/app/shell/nav-drawer.tsx'],
    path: '/token',
    isPhone: true,
    open: press('Open menu'),
  },
  {
    name: 'the filter drawer',
    files: ['console/ui/data/filter/filter-drawer.tsx'],
    path: '/token',
    isPhone: true,
    open: press('Filters'),
  },
]

const TOKENS: readonly PageOverlay[] = [
  {
    name: 'a facet',
    files: ['console/ui/data/filter/filters.tsx', 'console/ui/overlays/popover-popup.tsx'],
    path: '/token',
    open: press('Status'),
  },
  {
    name: 'columns and density',
    files: ['console/ui/data/table/view-button.tsx'],
    path: '/token',
    open: press('View options'),
  },
  {
    name: 'the menu of a token',
    files: ['features/tokens/console/actions.tsx'],
    path: '/token',
    open: press('More actions for test'),
  },
  {
    name: 'a question',
    files: ['console/ui/overlays/global-dialogs.tsx'],
    path: '/token',
    open: choose('More actions for test', 'Delete'),
  },
  {
    name: 'a new token',
    files: [
      'features/tokens/console/sheet.tsx',
      'console/app/forms/sheet-form.tsx',
      'console/ui/overlays/sheet.tsx',
    ],
    path: '/token',
    open: press('New token'),
  },
  {
    name: 'a new budget of a token',
    files: ['features/budgets/console/dialog.tsx'],
    path: '/token',
    async open(page) {
      await press('Edit test')(page)
      await press('Add budget')(page)
    },
  },
  {
    name: 'the models of a token',
    files: ['features/tokens/console/form.tsx', 'console/ui/forms/combobox.tsx'],
    path: '/token?edit=new',
    async open(page) {
      const [models] = await page.getByRole('dialog').getByRole('combobox').all()
      if (!models) await page.getByRole('button', { name: 'Limits' }).click()
      await page.getByRole('dialog').getByRole('combobox').first().click()
    },
  },
  {
    name: 'the calendar of an expiry',
    files: ['console/app/time/date-time-input.tsx'],
    path: '/token?edit=new',
    async open(page) {
      const calendar = page.getByRole('button', { name: 'Open calendar' })
      if (!(await calendar.isVisible())) await page.getByRole('button', { name: 'Limits' }).click()
      await calendar.click()
    },
  },
  {
    name: 'a created token',
    files: ['features/tokens/console/created-dialog.tsx'],
    path: '/token',
    async open(page) {
      await press('New token')(page)
      await page.getByRole('dialog').getByLabel('Name').fill('made')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').getByText('Your key').first().waitFor()
    },
    close: page => inDialog(page).getByRole('button').last().click(),
  },
]

const CHANNELS: readonly PageOverlay[] = [
  {
    name: 'the models of a channel',
    files: ['features/channels/console/cells.tsx'],
    path: '/channel',
    open: press('Models: 1'),
  },
  {
    name: 'the menu of all channels',
    files: ['features/channels/console/list-actions.tsx'],
    path: '/channel',
    open: press('More list actions'),
  },
  {
    name: 'the menu of a channel',
    files: ['features/channels/console/actions.tsx'],
    path: '/channel',
    open: press(/^More actions · plain/),
  },
  {
    name: 'a change of many channels',
    files: ['features/channels/console/bulk-dialog.tsx'],
    path: '/channel',
    async open(page) {
      await page.getByRole('checkbox', { name: 'Select this page' }).check()
      await press('Set tag')(page)
    },
  },
  {
    name: 'the type picker',
    files: ['features/channels/console/sheet/basics-section.tsx', 'features/channels/console/sheet/form.tsx'],
    path: '/channel/add',
    open: page => inDialog(page).getByRole('combobox', { name: 'Type' }).click(),
  },
  {
    name: 'the groups of a channel',
    files: ['features/channels/console/sheet/routing-section.tsx'],
    path: '/channel/add',
    open: page => inDialog(page).getByRole('combobox', { name: 'Groups' }).click(),
  },
  {
    name: 'the models to choose from',
    files: ['features/channels/console/sheet/models-section.tsx'],
    path: '/channel/add',
    open: page => inDialog(page).getByRole('combobox', { name: 'Models' }).click(),
  },
  {
    name: 'the models of a provider',
    files: ['features/channels/console/sheet/models-dialog.tsx', 'features/channels/console/sheet/sheet.tsx'],
    path: '/channel/edit/2',
    open: press('Fetch model list'),
  },
]

const LISTS: readonly PageOverlay[] = [
  {
    name: 'a new identity provider',
    files: ['features/oauth/console/openid/sheet.tsx'],
    path: '/identity-provider',
    open: press('Add provider'),
  },
  {
    name: 'a new plan',
    files: ['features/plans/console/sales/plan-sheet.tsx'],
    path: '/plan',
    open: press('Create plan'),
  },
  {
    name: 'codes of a plan',
    files: ['features/plans/console/sales/codes-dialog.tsx'],
    path: '/plan',
    async open(page) {
      await press('Create codes of "Pro"')(page)
      await inDialog(page).getByRole('button', { name: 'Create codes' }).click()
      await inDialog(page).getByRole('button', { name: 'Download' }).first().waitFor()
    },
  },
  {
    name: 'created redemption codes',
    files: [
      'features/redemption-codes/console/sheet.tsx',
      'features/redemption-codes/console/created-dialog.tsx',
    ],
    path: '/redemption',
    async open(page) {
      await press('New codes')(page)
      await page.getByRole('dialog').getByLabel('Name').fill('spring')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Download' }).first().waitFor()
    },
  },
  {
    name: 'the menu of a user',
    files: ['features/users/console/actions.tsx'],
    path: '/user',
    open: press('More actions for anna'),
  },
  {
    name: 'a change of quota',
    files: ['features/users/console/quota-dialog.tsx', 'features/users/console/sheet.tsx'],
    path: '/user',
    async open(page) {
      await press('Edit anna')(page)
      await press('Adjust balance')(page)
    },
  },
  {
    name: 'the histogram as a table',
    files: ['console/ui/data/chart/slot-table.tsx'],
    path: '/log',
    open: press('Show as table'),
  },
  {
    name: 'the range of time',
    files: ['console/ui/data/filter/filters.tsx'],
    path: '/log',
    open: press(/^Time: /),
  },
  {
    name: 'the types of rows',
    files: ['console/ui/data/filter/filters.tsx'],
    path: '/log',
    open: press('Type'),
  },
  {
    name: 'the menu of a value',
    files: ['features/logs/console/cells.tsx'],
    path: '/log',
    open: press(`Filter by ${MODEL}`),
  },
  {
    name: 'the card of a user',
    files: ['features/logs/console/cells.tsx'],
    path: '/log',
    open: press('User root'),
  },
  {
    name: 'the comparison of prices',
    files: ['features/pricing-page/console/compare-dialog.tsx'],
    path: '/pricing',
    async open(page) {
      await page.getByRole('checkbox', { name: 'Select this page' }).check()
      await press(/^Compare selected/)(page)
    },
  },
  {
    name: 'a long text',
    files: ['console/app/list/long-text-dialog.tsx'],
    path: '/midjourney',
    open: press('a lighthouse'),
  },
  {
    name: 'a picture',
    files: ['features/drawing/console/picture-dialog.tsx'],
    path: '/midjourney',
    open: press(/a lighthouse$/),
  },
  {
    name: 'a task',
    files: ['features/music/console/task-dialog.tsx'],
    path: '/task',
    open: press(/music-1/),
  },
]

const WALLET: readonly PageOverlay[] = [
  {
    name: 'a payment',
    files: ['features/top-ups/console/payment-dialogs.tsx'],
    path: '/topup',
    open: press('Alipay'),
  },
  {
    name: 'a move of rewards to the balance',
    files: ['features/top-ups/console/invitation/transfer-dialog.tsx'],
    path: '/topup',
    open: press('Move to balance'),
  },
]

const SETTINGS: readonly PageOverlay[] = [
  {
    name: 'the settings finder',
    files: ['features/settings/console/finder.tsx'],
    path: '/setting?tab=personal',
    keepsFocus: true,
    open: async page => {
      await page.getByRole('button', { name: 'Search settings' }).click()
      await page.getByRole('combobox', { name: 'Search settings' }).fill('price')
    },
  },
  {
    name: 'the profile',
    files: ['features/account/console/profile-dialog.tsx'],
    path: '/setting?tab=personal',
    open: press('Edit profile'),
  },
  {
    name: 'the binding of an email address',
    files: ['features/account/console/binding-dialogs.tsx'],
    path: '/setting?tab=personal',
    open: press('Link Email'),
  },
  {
    name: 'the binding of Telegram',
    files: ['console/app/sign-in/telegram-dialog.tsx'],
    path: '/setting?tab=personal',
    open: press('Link Telegram'),
  },
  {
    name: 'the QR code of WeChat',
    files: ['console/app/sign-in/wechat-dialog.tsx'],
    path: '/setting?tab=personal',
    open: press('Link WeChat'),
  },
  {
    name: 'the question who is there',
    files: ['console/app/session/reauthentication-dialog.tsx'],
    path: '/setting?tab=personal',
    async open(page) {
      await page.route(`**${getReauthentication.path}`, async route => {
        const response = await route.fetch()
        const json = await response.json()
        await route.fulfill({ json: { ...json, data: { ...json.data, is_recent: false } } })
      })
      await press('Link Email')(page)
    },
  },
  {
    name: 'the review of recent tokens',
    files: ['features/account/console/token-review-dialog.tsx'],
    path: '/setting?tab=personal',
    async open(page) {
      await page.route(`**${updateSelf.path}`, (route, request) =>
        request.method() === updateSelf.method
          ? route.fulfill({ json: { success: true, message: '' } })
          : route.fallback(),
      )
      for (const name of ['New password', 'Repeat the new password'])
        await page.getByRole('textbox', { name, exact: true }).fill('another good one')
      await page.locator('form').getByRole('button', { name: 'Change password' }).click()
    },
  },
  {
    name: 'the price of a model',
    files: ['features/price-settings/console/price-dialog.tsx'],
    path: '/setting?tab=operation',
    open: press('Add model'),
  },
  {
    name: 'the domains of an option',
    files: ['console/app/settings/fields.tsx'],
    path: '/setting?tab=system',
    keepsFocus: true,
    async open(page) {
      await page.getByRole('combobox', { name: 'Allowed email domains' }).click()
    },
  },
  {
    name: 'the review of changed settings',
    files: ['features/settings/console/review-dialog.tsx'],
    path: '/setting?tab=operation',
    async open(page) {
      await page.getByLabel('Top-up link').fill('https://shop.example')
      await press('Review')(page)
    },
  },
]

const WORKSHOP: readonly PageOverlay[] = [
  {
    name: 'the inspector of the playground',
    files: ['features/playground/console/side-panel-dialog.tsx'],
    path: '/playground',
    isPhone: true,
    open: press('Request details'),
  },
  {
    name: 'the models of the playground',
    files: ['features/playground/console/settings-panel.tsx'],
    path: '/playground',
    keepsFocus: true,
    open: page => page.getByRole('combobox', { name: 'Model', exact: true }).click(),
  },
  {
    name: 'the tokens of a guide',
    files: ['features/connect/console/target-choice.tsx'],
    path: '/connect',
    keepsFocus: true,
    open: page => page.getByRole('combobox').first().click(),
  },
  {
    name: 'the reminder of the initial password',
    files: ['console/app/shell/reminder-dialogs.tsx'],
    path: '/about',
    async open(page) {
      await page.evaluate(
        `localStorage.setItem('user', JSON.stringify({ ...JSON.parse(localStorage.getItem('user')), must_change_password: true }))`,
      )
      await page.reload()
    },
    close: press('Later'),
  },
]

const PAGE_OVERLAYS = [SHELL, TOKENS, CHANNELS, LISTS, WALLET, SETTINGS, WORKSHOP].flat()

describe('above a page', () => {
  /** One window, in which each page is opened once. */
  let opened: OpenConsole
  /** Whether the former test has closed what it opened. */
  let isClosed = false
  let problemsFound = 0

  beforeAll(async () => {
    const { root, lab, gateway } = site
    await setOptions(root, {
      Notice: 'Maintenance on Sunday',
      ServerAddress: gateway.url,
      PayAddress: 'http://127.0.0.1:9',
      EpayId: 'merchant',
      EpayKey: 'key',
      QuotaForInviter: 1_000_000,
      WeChatAuthEnabled: true,
      WeChatServerAddress: 'https://wechat.example',
      WeChatServerToken: 'token',
      WeChatAccountQRCodeImageURL: IMAGE,
      TelegramOAuthEnabled: true,
      TelegramBotToken: '1:token',
      TelegramBotName: 'bot',
      MjForwardUrlEnabled: false,
    })
    await addLabChannel(root, lab, { provider: 'openai', models: ['gpt-4o'], name: 'plain' })
    const aff_code = await root.call(getInvitationCode)
    await root.call(register, { body: { username: 'anna', password: 'anna-of-the-test', aff_code } })
    await inDatabase(gateway, async db => {
      const own = { user_id: root.userId, channel_id: channelId, submit_time_ms: Date.now() - 60_000 }
      await insertTask(db, {
        ...own,
        task_id: 'mj-1',
        detail: JSON.stringify({ imageUrl: IMAGE, prompt: 'a lighthouse' }),
      })
      await insertTask(db, { ...own, task_id: 'music-1', platform: 'suno', action: 'MUSIC' })
    })
    const view = { language: 'en', theme: 'light', width: WIDE_WIDTH } as const
    opened = await openConsole(browser, gateway, { view, client: root })
    await opened.page.route('https://telegram.org/**', route => route.fulfill({ body: '' }))
  })
  afterAll(() => opened.close())

  const show = (theme: 'light' | 'dark') =>
    opened.page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)

  async function closeAll(page: Page): Promise<void> {
    for (let count = 0; count < ESCAPES_MAX && (await page.locator(POPUP).count()) > 0; count += 1) {
      await page.keyboard.press('Escape')
      await opened.settled()
    }
    const discard = page.getByRole('button', { name: 'Discard', exact: true })
    if ((await discard.count()) > 0) await discard.click()
  }

  test.each([...PAGE_OVERLAYS])('$name is accessible in both themes', async overlay => {
    const { page } = opened
    await page.setViewportSize({ width: overlay.isPhone ? PHONE_WIDTH : WIDE_WIDTH, height: HEIGHT })
    if (!isClosed || !page.url().endsWith(overlay.path)) {
      await opened.visit(overlay.path)
      await opened.settled()
    }
    isClosed = false
    await overlay.open(page)
    await page.locator(POPUP).first().waitFor()
    await opened.settled()
    const violations = await findStructureViolations(page)
    const isAllowed = (violation: string) => overlay.keepsFocus && OF_A_HIDDEN_PAGE.test(violation)
    expect(violations.filter(violation => !isAllowed(violation))).toEqual([])
    expect(await findPoorContrast(page, POPUP)).toEqual([])
    await show('dark')
    expect(await findPoorContrast(page, POPUP)).toEqual([])
    await show('light')
    await page.setViewportSize({ width: PHONE_WIDTH, height: HEIGHT })
    await opened.settled()
    expect(await findCutControls(page)).toEqual([])
    await page.setViewportSize({ width: overlay.isPhone ? PHONE_WIDTH : WIDE_WIDTH, height: HEIGHT })
    await (overlay.close?.(page) ?? closeAll(page))
    await page.locator(POPUP).first().waitFor({ state: 'detached' })
    isClosed = true
    const problems = opened.problems().slice(problemsFound)
    problemsFound += problems.length
    expect(problems).toEqual([])
  })
})

/** Components that open something above a page. */
const OPENERS =
  /<(?:Dialog|Sheet|SheetForm|PopoverButton|MenuButton|Combobox|MultiCombobox)\b|<(?:Base)?(?:Dialog|Menu|Popover|Base)\.Popup\b/

/** Files that are opened by the tests above, or need not be opened. */
const OPENED_ELSEWHERE: Readonly<Record<string, string>> = {
  'features/channels/console/route-dialog.tsx': 'the preview of a route',
  'features/channels/console/tag-sheet.tsx': 'a tag',
  'features/channels/console/test/test-dialog.tsx': 'the tests of a channel',
  'features/logs/console/sheet/sheet.tsx': 'a row of the log',
  'features/pricing-page/console/sheet.tsx': 'a price',
}

/** Files that no test opens here, with the reason. */
const EXCUSED: Readonly<Record<string, string>> = {
  'console/app/session/factor-dialog.tsx':
    'the second step of a sign-in, opened by the tests of second factors',
  'features/access-tokens/console/create-dialog.tsx':
    'name, expiry, permissions and the token, opened by the tests of access tokens',
  'features/organizations/console/switcher.tsx': 'a menu, opened by the tests of organisations',
  'features/organizations/console/create-dialog.tsx':
    'one field in a dialog, opened by the tests of organisations',
  'features/organizations/console/organization/add-dialog.tsx':
    'people and a cap, opened by the tests of organisations',
  'features/organizations/console/organization/made-dialog.tsx':
    'keys and links, opened by the tests of organisations',
  'features/organizations/console/organization/cap-sheet.tsx':
    'a member or a project with its budgets, opened by the tests of organisations',
  'features/second-factor/console/add-dialog.tsx': 'a name and a code, opened by the tests of second factors',
  'features/second-factor/console/codes-dialog.tsx': 'recovery codes, opened by the tests of second factors',
  'features/users/console/bulk-bar.tsx': 'a menu of groups, opened by the tests of the users',
  'features/users/console/bulk-quota-dialog.tsx': 'an amount and a reason, opened by the tests of the users',
  'features/audit-log/console/sheet.tsx': 'an entry of the audit log, opened by the tests of that page',
  'features/channel-keys/console/form.tsx': 'a list of providers, opened by the tests of channels by key',
  'features/reconciliation/console/reconcile-form.tsx':
    'a list of channels, opened by the tests of the reconciliation',
  'features/playground/console/name-dialog.tsx':
    'one field in a dialog, opened by the tests of the playground',
  'features/playground/console/toolbar.tsx': 'a popover and a menu, opened by the tests of the playground',
}

test('every component that opens above a page is opened by a test', async () => {
  const files = ['console/app', 'console/ui', 'features/*/console'].flatMap(folder => [
    ...new Glob(`${folder}/**/*.tsx`).scanSync(PROJECT),
  ])
  const openers = files
    .filter(file => !file.endsWith('.test.tsx'))
    .filter(file => OPENERS.test(readFileSync(join(PROJECT, file), 'utf8')))
  expect(openers.length).toBeGreaterThan(0)
  const listed = new Set([
    ...PAGE_OVERLAYS.flatMap(({ files }) => files),
    ...Object.keys(OPENED_ELSEWHERE),
    ...Object.keys(EXCUSED),
  ])
  expect(openers.filter(file => !listed.has(file))).toEqual([])
  expect([...listed].filter(file => !openers.includes(file))).toEqual([])
  const names = OVERLAYS.map(([name]) => name)
  expect(Object.values(OPENED_ELSEWHERE).filter(name => !names.includes(name))).toEqual([])
})

/** Controls of open dialogs that a phone shows in part: they extend beyond the right edge of their dialog. */
const findCutControls = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].flatMap(dialog => {
      const { right } = dialog.getBoundingClientRect()
      return [...dialog.querySelectorAll('input, textarea, select, fieldset')]
        .filter(control => control.getBoundingClientRect().right > right)
        .map(control => control.getAttribute('aria-label') ?? control.outerHTML.slice(0, 80))
    }),
  )

/** Sections of the open dialog that extend beyond its right edge. */
const findCutSections = (page: Page): Promise<string[]> =>
  page.getByRole('dialog').evaluate(dialog => {
    const { right } = dialog.getBoundingClientRect()
    const sections = [...dialog.querySelectorAll('section')]
    return sections
      .filter(section => section.getBoundingClientRect().right > right)
      .map(section => section.getAttribute('aria-label') ?? section.id)
  })
