import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToken, listTokens } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { listOptions } from '#contract/options/options.ts'
import type { OptionKey } from '#contract/options/system-options.ts'
import { createUser } from '#features/users/contract.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '#server/testing/local-mail-server.ts'
import { type AdminClient, signIn } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { DESKTOP } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'

const PASSWORD = 'a good password'

const MAIL = {
  SMTPServer: '127.0.0.1',
  SMTPAccount: MAIL_ACCOUNT.user,
  SMTPToken: MAIL_ACCOUNT.password,
} as const

const backups = makeTemporaryFolder()

let post: LocalMailServer

describeConsole({ environment: { EGRESS_ALLOWED: '127.0.0.1', BACKUP_DIR: backups.path } })

beforeAll(async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt-4o-mini', 'my-own-model'] })
  post = await openLocalMailServer('none')
  await setOptions(site.root, { ...MAIL, SMTPPort: post.port })
})

afterAll(async () => {
  await post?.close()
  backups.remove()
})

beforeEach(() => openAs(site.root))

async function openSettings(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/setting${search}`)
  await page.locator('h1', { hasText: 'Settings' }).waitFor()
}

async function optionText(key: OptionKey): Promise<string> {
  const entries = await site.root.call(listOptions)
  return entries.find(entry => entry.key === key)?.value ?? ''
}

const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const section = (name: string) => page.getByRole('region', { name, exact: true })
/** Parts far below load once the reader comes near. */
async function scrollTo(name: string) {
  await section(name).scrollIntoViewIfNeeded()
  return section(name)
}

const saveBar = () => page.getByRole('region', { name: /changes?$/ })
const dialog = () => page.getByRole('dialog')

describe('saving options', () => {
  test('shows the changes, sends only them and applies them', async () => {
    await openSettings('?tab=operation')
    await page.getByLabel('Retries').fill('3')
    await page.getByLabel('Top-up link').fill('https://shop.example')
    await page.getByLabel('Sidebar starts collapsed').check()
    await saveBar().getByText('3 changes').waitFor()
    await saveBar().getByRole('button', { name: 'Review' }).click()
    await dialog().getByText('https://shop.example').waitFor()
    await dialog().getByRole('button', { name: 'Undo the change of Sidebar starts collapsed' }).click()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await optionText('RetryTimes')).toBe('3')
    expect(await optionText('TopUpLink')).toBe('https://shop.example')
    expect(await optionText('DefaultCollapseSidebar')).toBe('false')
    expect(await saveBar().count()).toBe(0)
  })

  test('sends a test email with the stored settings and shows the reply of the mail server', async () => {
    await openSettings('?tab=system')
    const mail = section('SMTP')
    await mail.getByLabel('Send a test email to').fill('root@example.org')
    await mail.getByRole('button', { name: 'Send test email' }).click()
    await page.getByText('Test email sent to root@example.org').waitFor()
    expect(post.mails.at(-1)).toMatchObject({ to: ['root@example.org'] })
    await setOptions(site.root, { SMTPToken: 'wrong' })
    await mail.getByRole('button', { name: 'Send test email' }).click()
    await mail.getByText('535').waitFor()
    await setOptions(site.root, MAIL)
    await mail.getByLabel('SMTP server').fill('elsewhere.example')
    await mail.getByText('Save the changes above first').waitFor()
    expect(await mail.getByRole('button', { name: 'Send test email' }).isDisabled()).toBe(true)
  })

  test('finds an option by its description and jumps to its field', async () => {
    await openSettings()
    await page.getByRole('button', { name: 'Search settings' }).click()
    await page.getByRole('combobox', { name: 'Search settings' }).fill('merchant key')
    await page.getByRole('option', { name: 'EasyPay merchant key' }).click()
    await page.waitForURL(/tab=system/)
    await page.locator('#field-EpayKey:focus').waitFor()
  })
})

describe('sign-in methods', () => {
  test('toggle on touch', async () => {
    await openAs(site.root, { ...DESKTOP, width: 390, isTouch: true })
    await openSettings('?tab=operation')
    await page.getByRole('switch', { name: 'Demo site' }).tap()
    await page.getByText('1 change').waitFor()
  })
})

describe('prices', () => {
  test('applies a price in dollars to the next request', async () => {
    await openSettings('?tab=operation')
    await section('Model prices').getByRole('button', { name: 'Add model' }).click()
    await dialog().getByLabel('Model', { exact: false }).first().fill('gpt-4o-mini')
    await dialog().getByRole('button', { name: 'Apply' }).click()
    await dialog().getByText('This model already has a price').waitFor()
    await dialog().getByLabel('Model', { exact: false }).first().fill('my-own-model')
    await dialog().getByText('By price per million tokens').click()
    await dialog().getByLabel('Input, dollars per million tokens').fill('4')
    await dialog().getByLabel('Output, dollars per million tokens').fill('8')
    await dialog().getByLabel('Cache read, dollars per million tokens').fill('0.125')
    await dialog()
      .getByText('Input / 1M $4.00 · Output / 1M $8.00 · Cache read / 1M $0.125')
      .first()
      .waitFor()
    await dialog().getByRole('button', { name: 'Apply' }).click()
    await saveBar().getByText('3 changes').waitFor()
    await saveBar().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(JSON.parse(await optionText('CacheRatio'))['my-own-model']).toBe(0.03125)
    expect(JSON.parse(await optionText('ModelRatio'))['my-own-model']).toBe(2)
    expect(JSON.parse(await optionText('CompletionRatio'))['my-own-model']).toBe(2)
    const { key } = await addToken(site.root)
    const body = { model: 'my-own-model', messages: [{ role: 'user', content: 'hello' }] }
    const { status } = await callChat({ url: site.gateway.url, key, body })
    expect(status).toBe(200)
  })

  test('exports and imports the whole table as a file', async () => {
    const folder = makeTemporaryFolder()
    await openSettings('?tab=operation')
    const arriving = page.waitForEvent('download')
    await section('Model prices').getByRole('button', { name: 'Export CSV' }).click()
    const exported = readFileSync(await (await arriving).path(), 'utf8')
    const file = join(folder.path, 'prices.csv')
    writeFileSync(file, `${exported}from-a-file,0.25,,\r\n`)
    await section('Model prices').getByLabel('Import CSV').setInputFiles(file)
    await saveBar().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(JSON.parse(await optionText('ModelPrice'))['from-a-file']).toBe(0.25)
    folder.remove()
  })

  test('reads prices, approves an ordinary and a suspicious one, and undoes them', async () => {
    const feed = (models: Readonly<Record<string, number>>) =>
      JSON.stringify({
        data: Object.entries(models).map(([model_name, model_ratio]) => ({
          model_name,
          quota_type: 0,
          model_ratio,
          completion_ratio: 4,
        })),
      })
    await setOptions(site.root, { ModelRatio: { 'fed-a': 1, 'fed-b': 1, 'fed-c': 1 } })
    const before = JSON.parse(await optionText('ModelRatio'))
    await openSettings('?tab=operation')
    await section('Model prices').getByText('Updates', { exact: true }).click()
    await page.getByText('Paste', { exact: true }).click()
    await page.getByRole('button', { name: 'Read prices' }).click()
    await page.getByText('Paste the prices').waitFor()
    await page.getByLabel('Prices as JSON').fill('{"a": 1}')
    await page.getByRole('button', { name: 'Read prices' }).click()
    await page.getByRole('alert').getByText('cannot be read').waitFor()
    await page.getByLabel('Prices as JSON').fill(feed({ 'fed-a': 1.5, 'fed-b': 20, 'fed-c': -1 }))
    await page.getByRole('button', { name: 'Read prices' }).click()
    await page.getByText('1 row is wrong and was left out').click()
    await page.getByText('a price cannot be negative').waitFor()
    await page.getByRole('button', { name: 'Select all but suspicious ones' }).click()
    await page.getByText('1 model selected').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Price of 1 model approved').waitFor()
    await page.getByRole('button', { name: 'Approve the new price of fed-b' }).click()
    await dialog().getByText('fed-b').waitFor()
    await dialog().getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Undo the approval of fed-b' }).waitFor()
    expect(JSON.parse(await optionText('ModelRatio'))).toMatchObject({
      'fed-a': 1.5,
      'fed-b': 20,
      'fed-c': 1,
    })
    for (const model of ['fed-b', 'fed-a']) {
      const undo = page.getByRole('button', { name: `Undo the approval of ${model}` })
      await undo.click()
      await dialog().getByRole('button', { name: 'Undo' }).click()
      await undo.waitFor({ state: 'detached' })
    }
    expect(JSON.parse(await optionText('ModelRatio'))).toEqual(before)
  })

  test('tries an unsaved group ratio on past requests', async () => {
    await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['tried-model'] })
    await setOptions(site.root, { ModelRatio: { 'tried-model': 1000 } })
    const { key } = await addToken(site.root)
    const body = { model: 'tried-model', messages: [{ role: 'user', content: 'hello' }] }
    expect((await callChat({ url: site.gateway.url, key, body })).status).toBe(200)
    await openSettings('?tab=operation')
    const groups = section('Groups')
    await groups.getByRole('button', { name: 'Simulate on past usage' }).click()
    await groups.getByText('No prices or group ratios are unsaved').waitFor()
    await groups.getByLabel('Ratio of default', { exact: true }).fill('2')
    await groups.getByText('Changes to try: Group ratio').waitFor()
    await groups.getByLabel('Mark users who would pay this much more').fill('-1')
    await groups.getByText('Enter 0 or a positive number').waitFor()
    await groups.getByLabel('Mark users who would pay this much more').fill('50')
    await groups.getByRole('button', { name: 'Start' }).click()
    await groups.getByText('1 of 1 users would pay more by over 50%').waitFor()
    await groups.getByRole('table', { name: 'User' }).getByText('Above').waitFor()
    await groups
      .getByRole('table', { name: 'Model' })
      .getByRole('row', { name: 'tried-model' })
      .getByText('(+100%)')
      .waitFor()
    expect(JSON.parse(await optionText('GroupRatio')).default).toBe(1)
  })

  test('resets the ratios after a confirmation', async () => {
    await setOptions(site.root, { ModelRatio: { 'only-one': 1 } })
    await openSettings('?tab=operation')
    await section('Model prices').getByText('JSON', { exact: true }).click()
    await section('Model prices').getByRole('button', { name: 'Reset model ratios' }).click()
    await dialog().getByRole('button', { name: 'Reset model ratios' }).click()
    await page.getByText('Model ratios reset to their defaults').waitFor()
    expect(JSON.parse(await optionText('ModelRatio'))['gpt-4o']).toBe(1.25)
  })
})

describe('groups, chats and the log', () => {
  test('deletes old log rows after the date is typed and reports how many', async () => {
    await openSettings('?tab=operation')
    const log = section('Log')
    await log.getByLabel('Delete entries before').fill('')
    await log.getByRole('button', { name: 'Delete old entries' }).click()
    await log.getByText('Choose a time').waitFor()
    await log.getByLabel('Delete entries before').fill('2020-01-02 00:00:00')
    await log.getByRole('button', { name: 'Delete old entries' }).click()
    await dialog().getByLabel('Type the date 2020-01-02 to confirm').fill('2020-01-02')
    await dialog().getByRole('button', { name: 'Delete old entries' }).click()
    await page.getByText('0 log entries deleted').waitFor()
  })
})

describe('texts of the installation', () => {
  test('are previewed, saved like all settings and applied at once', async () => {
    await openSettings('?tab=other')
    await field('System name').fill('My Gateway')
    await saveBar().getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'My Gateway' }).first().waitFor()
    const about = section('About page')
    await about.getByRole('textbox').fill('# Hello<script>alert(1)</script>')
    await about.getByText('Preview', { exact: true }).click()
    await about.getByRole('heading', { name: 'Hello' }).waitFor()
    expect(await about.innerHTML()).not.toContain('<script>')
  })

  test('make a backup on request and list it', async () => {
    await openSettings('?tab=other')
    const card = section('Backups')
    await card.getByText('Every 24 hours. The newest 7 are kept.').waitFor()
    await card.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup made, and its copy checked').waitFor()
    await card
      .getByText(/^\d+(\.\d)? MiB$/)
      .first()
      .waitFor()
    // The schedule may have made one, too.
    const files = readdirSync(backups.path)
    expect(files.filter(file => !/^tollgate-.+Z\.db$/.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(0)
  })

  test('show the result of the update check or the reason for its failure', async () => {
    let tag = 'v99.0.0'
    const feed = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        tag === ''
          ? new Response('gone', { status: 503 })
          : Response.json({ tag_name: tag, html_url: 'https://example.org/99', body: 'Faster doors' }),
    })
    await openSettings('?tab=other')
    const system = section('This installation')
    await system.getByText(/^\d+ GiB free/).waitFor()
    const check = () => system.getByRole('button', { name: 'Check for updates' }).click()
    await check()
    await system.getByRole('alert').getByText('enter the release feed URL first').waitFor()

    await field('Release feed URL').fill(`http://127.0.0.1:${feed.port}/latest`)
    await saveBar().getByRole('button', { name: 'Save' }).click()
    await check()
    await system.getByText('Version 99.0.0 is available').waitFor()
    await system.getByText('Faster doors').waitFor()
    const link = system.getByRole('link', { name: 'View release' })
    expect(await link.getAttribute('href')).toBe('https://example.org/99')

    tag = 'v0.0.1'
    await check()
    await system.getByText('You are on the latest version').waitFor()
    tag = ''
    await check()
    await system.getByRole('alert').getByText('HTTP 503').waitFor()
    await feed.stop(true)
  })
})

describe('personal settings', () => {
  async function openAsNew(username: string): Promise<AdminClient> {
    await site.root.call(createUser, { body: { username, password: PASSWORD } })
    const client = await signIn(site.gateway.url, { username, password: PASSWORD })
    await openAs(client)
    return client
  }

  test('change the password when both entries match', async () => {
    const client = await openAsNew('changer')
    for (const name of ['known', 'foreign'])
      await client.call(createToken, { body: { name, unlimited_quota: true } })
    await openSettings()
    const form = section('Change password')
    await form.getByRole('textbox', { name: 'New password', exact: true }).fill('another good one')
    await form.getByRole('textbox', { name: 'Repeat the new password' }).fill('another bad one')
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText('The passwords do not match').waitFor()
    await form.getByRole('textbox', { name: 'Repeat the new password' }).fill('another good one')
    // Nobody types that fast: the list below, once in view, would ask with the session that ends.
    await section('Sessions').scrollIntoViewIfNeeded()
    await section('Sessions').getByText('This session').waitFor()
    await form.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    await dialog().getByRole('checkbox', { name: 'foreign' }).check()
    await dialog().getByRole('button', { name: 'Disable 1' }).click()
    await page.getByText('1 token disabled').waitFor()
    const changer = await signIn(site.gateway.url, { username: 'changer', password: 'another good one' })
    const tokens = await changer.call(listTokens, { query: {} })
    expect(tokens.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['foreign', 2],
      ['known', 1],
    ])
  })

  test('show a working access token once', async () => {
    const client = await openAsNew('program')
    await openSettings()
    await section('System access token').getByRole('button', { name: 'Generate access token' }).click()
    await dialog().getByRole('button', { name: 'Generate access token' }).click()
    await section('System access token').getByRole('button', { name: /^Show/ }).click()
    const token = await section('System access token').locator('code').textContent()
    const response = await fetch(`${site.gateway.url}${getSelf.path}`, {
      headers: { authorization: token ?? '', 'new-api-user': String(client.userId) },
    })
    expect((await response.json()).data.username).toBe('program')
  })

  test('bind an email address by a code and hide methods that the installation does not offer', async () => {
    await openAsNew('binder')
    await openSettings()
    const bindings = section('Linked accounts')
    await bindings.getByText('Turned off by the administrator').first().waitFor()
    expect(await bindings.getByRole('button', { name: 'Link WeChat' }).isDisabled()).toBe(true)
    await bindings.getByRole('button', { name: 'Link Email' }).click()
    await dialog().getByRole('button', { name: 'Link', exact: true }).click()
    await dialog().getByText('Enter an email address').waitFor()
    await dialog().getByText('Enter the code').waitFor()
    await dialog().getByLabel('Email address').fill('a@example.com')
    await dialog().getByLabel('Code').fill('wrong')
    await dialog().getByRole('button', { name: 'Link', exact: true }).click()
    await dialog().getByRole('textbox', { name: 'Code' }).and(page.locator('[aria-invalid=true]')).waitFor()
  })

  test('require https for a webhook and show the stored value', async () => {
    const client = await openAsNew('notified')
    await openSettings()
    const form = await scrollTo('Low-balance notifications')
    await form.getByText('Webhook', { exact: true }).click()
    await form.getByLabel('Webhook URL').fill('http://hook.example')
    await form.getByRole('button', { name: '$2.00' }).click()
    await form.getByRole('button', { name: 'Save notifications' }).click()
    await form.getByText('The webhook URL must be an https URL').waitFor()
    await form.getByLabel('Webhook URL').fill('https://hook.example')
    await form.getByRole('button', { name: 'Save notifications' }).click()
    await page.getByText('Notification settings updated').waitFor()
    const { setting } = await client.call(getSelf)
    expect(JSON.parse(setting)).toMatchObject({
      webhook_url: 'https://hook.example',
      quota_warning_threshold: 1_000_000,
    })
  })

  test('store the notification channel before a test notification and show why it failed', async () => {
    await setOptions(site.root, MAIL)
    const client = await openAsNew('tester')
    await openSettings()
    const form = await scrollTo('Low-balance notifications')
    const tryIt = form.getByRole('button', { name: 'Save and send a test' })
    await form.getByLabel('Send to').fill('tester@example.org')
    await tryIt.click()
    await page.getByText('Test notification sent').waitFor()
    expect(post.mails.at(-1)).toMatchObject({ to: ['tester@example.org'] })
    await form.getByText('Webhook', { exact: true }).click()
    await form.getByLabel('Webhook URL').fill('https://127.0.0.1:1/hook')
    await tryIt.click()
    await form.getByText('Could not send the test notification').waitFor()
    const { setting } = await client.call(getSelf)
    expect(JSON.parse(setting)).toMatchObject({ webhook_url: 'https://127.0.0.1:1/hook' })
  })

  test('format times as chosen, also after a reload', async () => {
    await openSettings()
    await section('Preferences').getByText('Relative').click()
    await openSettings('?tab=other')
    expect(await page.locator('time').first().innerText()).toMatch(/ago|now/)
    await page.reload()
    expect(await page.locator('time').first().innerText()).toMatch(/ago|now/)
  })

  test('delete the account after its name is typed and end the session', async () => {
    await openAsNew('goner')
    await openSettings()
    await section('Delete account').getByRole('button', { name: 'Delete account' }).click()
    const question = dialog()
    expect(await question.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true)
    await question.getByLabel('Type your username goner to confirm').fill('goner')
    await question.getByRole('button', { name: 'Delete account' }).click()
    await page.waitForURL(/\/login/)
    expect(await page.evaluate("localStorage.getItem('user')")).toBeNull()
  })
})
