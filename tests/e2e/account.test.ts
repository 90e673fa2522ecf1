import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { getSelf } from '#contract/entities/user.ts'
import { getInvitationCode } from '#features/account/contract.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '#server/testing/local-mail-server.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { signIn } from '../harness/api-client.ts'
import { describeConsole, opened, openOnce, page, site } from '../harness/describe-console.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'

const PASSWORD = 'long enough'
const CERTIFICATE = join(PROJECT, 'server', 'testing', 'fixtures', 'localhost.cert.pem')
const LOCAL_PROVIDERS = join(PROJECT, 'tests', 'harness', 'local-providers.ts')
const wechat = openLocalServer()
const elsewhere = openLocalServer()
const WECHAT_RESPONSES = '/api/wechat/user'

let post: LocalMailServer

describeConsole({
  hasProblems: true,
  environment: {
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
    BUN_OPTIONS: `--preload=${LOCAL_PROVIDERS}`,
    LOCAL_PROVIDER: elsewhere.url,
  },
})

beforeAll(async () => {
  post = await openLocalMailServer()
  await setOptions(site.root, {
    ServerAddress: site.gateway.url,
    SMTPServer: 'localhost',
    SMTPPort: post.port,
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPToken: MAIL_ACCOUNT.password,
  })
})

afterAll(async () => {
  await post?.close()
  await wechat?.close()
  await elsewhere?.close()
})

beforeEach(() => openOnce(undefined))

const open = (path: string) => page.goto(site.gateway.url + path)
const box = (label: string) => page.getByLabel(label, { exact: true })
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const lastMail = () => post.mails.at(-1)?.text ?? ''

async function fillIn(username: string, password = PASSWORD, repeat = password): Promise<void> {
  await box('Username').fill(username)
  await box('Password').fill(password)
  await box('Repeat the password').fill(repeat)
}

describe('signing up', () => {
  test('shows an error at each invalid field and submits nothing', async () => {
    await open('/register')
    await press('Sign up')
    await page.getByRole('alert').getByText('Enter a username and password').waitFor()
    await fillIn('a name too long', 'short', 'other')
    await press('Sign up')
    for (const rule of [
      'The username must have at most 12',
      'The password must have at least 8',
      'The passwords do not match',
    ])
      await page.getByText(rule).first().waitFor()
    await page.getByText('5 of 20').waitFor()
    expect(new URL(page.url()).pathname).toBe('/register')
  })

  test('creates an account from an invitation and leads to the login', async () => {
    const code = await site.root.call(getInvitationCode)
    await open(`/login?aff=${code}`)
    await page.getByRole('link', { name: 'Sign up' }).click()
    await fillIn('carla')
    const sent = page.waitForRequest('**/api/user/register*')
    await press('Sign up')
    await page.getByText('Signed up').waitFor()
    expect((await sent).postDataJSON()).toEqual({
      username: 'carla',
      password: PASSWORD,
      password2: PASSWORD,
      aff_code: code,
    })
    await page.waitForURL('**/login')
    await page.getByLabel('Username or email').fill('carla')
    await box('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/token')
    expect((await site.root.call(getSelf)).aff_count).toBe(1)
    expect(opened.problems()).toEqual([])
  })

  test('keeps the input when the name is taken', async () => {
    await open('/register')
    await fillIn('root')
    await press('Sign up')
    await page.getByRole('alert').waitFor()
    expect(await box('Username').inputValue()).toBe('root')
    expect(await box('Password').inputValue()).toBe(PASSWORD)
  })

  test('verifies an email address by a code, at most one every 30 s', async () => {
    await setOptions(site.root, { EmailVerificationEnabled: true })
    await open('/register')
    await press('Send code')
    await page.getByRole('alert').getByText('Enter an email address').waitFor()
    await fillIn('dora')
    await box('Email').fill('dora@example.org')
    await press('Send code')
    await page.getByText('Code sent. Check your inbox.').waitFor()
    const locked = page.getByRole('button', { name: /Resend in \d+ s/ })
    expect(await locked.isDisabled()).toBe(true)
    await post.next()
    await box('Code').fill(/^[A-Z\d]{6}$/m.exec(lastMail())?.[0] ?? '')
    await press('Sign up')
    await page.waitForURL('**/login')
    const dora = await signIn(site.gateway.url, { username: 'dora@example.org', password: PASSWORD })
    expect((await dora.call(getSelf)).email).toBe('dora@example.org')
    await setOptions(site.root, { EmailVerificationEnabled: false })
  })

  test('is closed and unlinked when the administrator disables it', async () => {
    await setOptions(site.root, { RegisterEnabled: false })
    await open('/register')
    await page.getByText('Sign-up is turned off').waitFor()
    await open('/login')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('link', { name: 'Sign up' }).count()).toBe(0)
    await setOptions(site.root, { RegisterEnabled: true })
  })
})

describe('a forgotten password', () => {
  test('is reset through an emailed link that works once and leaves no trace in the URL', async () => {
    await open('/login')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await press('Send reset email')
    await page.getByRole('alert').getByText('Enter an email address').waitFor()
    await box('Email').fill('dora@example.org')
    await press('Send reset email')
    await page.getByText('Reset email sent').waitFor()
    expect(await page.getByRole('button', { name: /Resend in \d+ s/ }).isDisabled()).toBe(true)
    await post.next()
    const link = /https?:\/\/\S+\/user\/reset\?[^\s"<>]+/.exec(lastMail())?.[0] ?? ''
    await page.goto(link.replaceAll('&amp;', '&'))
    await page.getByText('dora@example.org').waitFor()
    await page.waitForURL(`${site.gateway.url}/user/reset`)
    await press('Generate a new password')
    await page.getByText('It is shown only once').waitFor()
    await page.getByRole('button', { name: 'Show · New password' }).click()
    const password = await page.locator('code').innerText()
    await signIn(site.gateway.url, { username: 'dora', password })
    await page.goto(link.replaceAll('&amp;', '&'))
    await press('Generate a new password')
    await page.getByRole('alert').waitFor()
  })

  test('responds the same for an unknown email address', async () => {
    await open('/reset')
    await box('Email').fill('nobody@example.org')
    await press('Send reset email')
    await page.getByText('Reset email sent').waitFor()
  })

  test('cannot be reset through an incomplete link', async () => {
    await open('/user/reset?email=dora@example.org')
    await page.getByText('This link is not valid').waitFor()
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await page.waitForURL('**/reset')
  })
})

describe('a sign-in provider', () => {
  test('opens in a popup with the state of this session', async () => {
    await setOptions(site.root, {
      GitHubClientId: 'client-of-the-test',
      GitHubClientSecret: 's',
      GitHubOAuthEnabled: true,
    })
    const authorize = page.context().waitForEvent('request', {
      predicate: request => request.url().startsWith('https://github.com/login/oauth/authorize'),
    })
    await page.context().route('https://github.com/**', route => route.fulfill({ body: 'agree?' }))
    await open('/login')
    await press('Continue with GitHub')
    const { searchParams } = new URL((await authorize).url())
    expect(searchParams.get('client_id')).toBe('client-of-the-test')
    expect(searchParams.get('state')).toHaveLength(32)
  })

  test('signs a consenting user in, closes its popup, and a second provider can be bound', async () => {
    await setOptions(site.root, {
      GitHubClientId: 'client-of-the-test',
      GitHubClientSecret: 's',
      GitHubOAuthEnabled: true,
      LinuxDOClientId: 'client-of-the-test',
      LinuxDOClientSecret: 's',
      LinuxDOOAuthEnabled: true,
    })
    Object.assign(elsewhere.handlers, {
      '/github/token': ({ body }) => Response.json(JSON.parse(body).code === 'good' && { access_token: 'g' }),
      '/github/user': () => Response.json({ id: 583231, login: 'octocat', name: 'The Octocat' }),
      '/linuxdo/token': () => Response.json({ access_token: 'l' }),
      '/linuxdo/user': () => Response.json({ id: 42, username: 'neo', name: 'Neo' }),
    } satisfies LocalServer['handlers'])
    await agreeAt('https://github.com/login/oauth/authorize**', '/oauth/github')
    await open('/login')
    await agreeInPopup('Continue with GitHub')
    await page.waitForURL('**/token')

    await agreeAt('https://connect.linux.do/oauth2/authorize**', '/oauth/linuxdo')
    await open('/setting')
    const bindings = page.getByRole('region', { name: 'Linked accounts' })
    await bindings.getByText('583231').waitFor()
    await agreeInPopup('Link LINUX DO')
    await page.getByText('Account linked', { exact: true }).waitFor()
    await bindings.getByText('42', { exact: true }).waitFor()
    expect(opened.problems()).toEqual([])
  })

  /** The party's own page: it shows a link that sends back a code and the state it was given. */
  const agreeAt = (address: string, back: string) =>
    page.context().route(address, route => {
      const state = new URL(route.request().url()).searchParams.get('state')
      const link = `${site.gateway.url}${back}?code=good&state=${state}`
      return route.fulfill({ contentType: 'text/html', body: `<a href="${link}">agree</a>` })
    })

  async function agreeInPopup(button: string): Promise<void> {
    const popup = page.waitForEvent('popup')
    await press(button)
    const provider = await popup
    const closed = provider.waitForEvent('close')
    await provider.getByRole('link', { name: 'agree' }).click()
    await closed
  }

  test('is called once despite rerender, reload and Back', async () => {
    const calls: string[] = []
    const held = Promise.withResolvers<void>()
    await page.route('**/api/oauth/github?*', async route => {
      calls.push(route.request().url())
      await held.promise
      await route.continue()
    })
    await open('/login')
    await open('/oauth/github?code=c&state=of-somebody-else')
    await page.getByRole('status').getByText('Completing the sign-in with GitHub').waitFor()
    await page.getByRole('button', { name: '切换到中文' }).click()
    await page.getByText('正在处理 GitHub 的授权').waitFor()
    await page.reload()
    await page.getByText('此授权已提交过').waitFor()
    held.resolve()
    await page.goBack()
    await page.waitForURL('**/login')
    await page.goForward()
    await page.getByText('此授权已提交过').waitFor()
    await page.getByRole('link', { name: '重新登录' }).click()
    await page.waitForURL('**/login')
    expect(calls).toHaveLength(1)
  })

  test('can be retried after a network failure', async () => {
    let tries = 0
    await page.route('**/api/oauth/github?*', route => {
      tries += 1
      return tries === 1 ? route.abort() : route.continue()
    })
    await open('/oauth/github?code=c&state=of-somebody-else')
    await page.getByRole('alert').getByText('Unable to connect').waitFor()
    await press('Try again')
    await page.getByText('Sign-in failed. You will be redirected').waitFor()
    expect(tries).toBe(2)
  })

  test('is rejected with a foreign state, which leads to the login', async () => {
    await open('/oauth/github?code=c&state=of-somebody-else')
    await page.getByRole('alert').waitFor()
    await page.getByText('Sign-in failed. You will be redirected').waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL('**/login?*')
  })

  test.each(['/oauth/github', '/oauth/linuxdo?code=c', '/oauth/telegram', '/oauth/nobody'])(
    'offers a new sign-in after an unusable callback: %s',
    async path => {
      await open(path)
      await page.getByRole('link', { name: 'Sign in again' }).click()
      await page.waitForURL('**/login')
      expect(opened.problems()).toEqual([])
    },
  )

  test('signs in with WeChat by a required code', async () => {
    wechat.handlers[WECHAT_RESPONSES] = ({ url }) =>
      Response.json({ success: true, data: url.searchParams.get('code') === '123456' ? 'wx-of-eve' : '' })
    await setOptions(site.root, {
      WeChatServerAddress: wechat.url,
      WeChatServerToken: 't',
      WeChatAccountQRCodeImageURL: 'https://wechat.example/qr.png',
      WeChatAuthEnabled: true,
    })
    await page.route('https://wechat.example/**', route => route.fulfill({ body: '' }))
    await open('/register')
    await press('Continue with WeChat')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'QR code of the WeChat account' }).waitFor()
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('Enter the code').waitFor()
    await dialog.getByLabel('Code').fill('000000')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('Enter the code').waitFor({ state: 'detached' })
    await dialog.getByLabel('Code').fill('123456')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/token')
    await page.goto(`${site.gateway.url}/login`)
    await page.waitForURL('**/token')
  })

  describe('Telegram', () => {
    const BOT_TOKEN = '1:of-the-test'

    beforeEach(() =>
      setOptions(site.root, {
        TelegramBotToken: BOT_TOKEN,
        TelegramBotName: 'bot',
        TelegramOAuthEnabled: true,
      }),
    )

    /** What the widget gives for the Telegram account 77, signed with the bot's token. */
    function widgetQuery(): URLSearchParams {
      const fields = { auth_date: String(Math.floor(Date.now() / 1000)), first_name: 'E', id: '77' }
      const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
      const secret = new Bun.CryptoHasher('sha256').update(BOT_TOKEN).digest()
      const hash = new Bun.CryptoHasher('sha256', secret).update(lines.join('\n')).digest('hex')
      return new URLSearchParams({ ...fields, hash })
    }

    /** Telegram's script as the outside: a link to where the widget returns once the user agrees. */
    const widgetScript = (query: URLSearchParams) => `const script = document.currentScript
      const link = document.createElement('a')
      link.textContent = 'Log in as E'
      link.href = script.dataset.authUrl + '&${query}'
      script.after(link)`

    test('tells a user without a binding to bind first', async () => {
      await page.route('https://telegram.org/**', route =>
        route.fulfill({ body: widgetScript(widgetQuery()), contentType: 'text/javascript' }),
      )
      await open('/login')
      await press('Continue with Telegram')
      await page.getByRole('link', { name: 'Log in as E' }).click()
      await page.getByRole('alert').getByText('this Telegram account is not linked to a user').waitFor()
    })

    test('refuses a sign-in that another browser started', async () => {
      await open(`/oauth/telegram?${widgetQuery()}&state=of-another-browser`)
      await page.getByRole('alert').getByText('the sign-in did not start in this session').waitFor()
    })

    test('binds by a page navigation, but nothing before the user agrees', async () => {
      await open('/login')
      await page.getByLabel('Username or email').fill('carla')
      await box('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/token')
      await open(`/api/oauth/telegram/bind?${widgetQuery()}`)
      await page.getByText('Link the Telegram account E (77) to your account carla?').waitFor()
      await page.getByRole('link', { name: 'Cancel' }).click()
      const bindings = page.getByRole('region', { name: 'Linked accounts' })
      await bindings.getByRole('button', { name: 'Link Telegram' }).waitFor()
      await open(`/api/oauth/telegram/bind?${widgetQuery()}`)
      await press('Link')
      await page.waitForURL('**/setting')
      await bindings.getByText('77', { exact: true }).waitFor()
    })
  })
})

/** The widget of the human check as the outside: it gives a token when the test says so, and counts resets. */
const WIDGET_MS_MAX = 20_000
const WIDGET = `window.resets = 0
  window.turnstile = {
    render: (holder, { callback }) => { window.giveToken = () => callback('token-of-the-widget'); return 'widget' },
    reset: () => { window.resets += 1 },
    remove: () => undefined,
  }`

describe('the captcha', () => {
  test.each([
    ['/login', { 'Username or email': 'root', Password: 'wrong one' }, 'Sign in', '**/api/user/login*'],
    [
      '/register',
      { Username: 'fred', Password: PASSWORD, 'Repeat the password': PASSWORD },
      'Sign up',
      '**/api/user/register*',
    ],
    ['/reset', { Email: 'fred@example.org' }, 'Send reset email', '**/api/reset_password*'],
  ] as const)('is awaited, sent and reset after a failed attempt: %s', async (path, fields, button, call) => {
    await setOptions(site.root, {
      TurnstileSiteKey: 'site',
      TurnstileSecretKey: 's',
      TurnstileCheckEnabled: true,
    })
    await page.route('https://challenges.cloudflare.com/**', route =>
      route.fulfill({ body: WIDGET, contentType: 'text/javascript' }),
    )
    await open(path)
    for (const [label, value] of Object.entries(fields)) await box(label).fill(value)
    await press(button)
    await page.getByRole('alert').getByText('the CAPTCHA is still running').waitFor()
    await waitUntil({ description: 'the widget', timeoutMs: WIDGET_MS_MAX }, () =>
      page.evaluate<boolean>("'giveToken' in window"),
    )
    await page.evaluate('window.giveToken()')
    const sent = page.waitForRequest(call)
    await press(button)
    expect(new URL((await sent).url()).searchParams.get('turnstile')).toBe('token-of-the-widget')
    await page.getByRole('alert').getByText('the CAPTCHA is still running').waitFor({ state: 'detached' })
    await page.getByRole('alert').waitFor()
    expect(await page.evaluate<number>('window.resets')).toBe(1)
    await setOptions(site.root, { TurnstileCheckEnabled: false })
  })
})

test('hides the password form behind a button while password login is disabled', async () => {
  await setOptions(site.root, { PasswordLoginEnabled: false })
  await open('/login')
  await page.getByText('Password sign-in is turned off').waitFor()
  expect(await box('Password').count()).toBe(0)
  await press('Sign in with a password')
  await box('Password').waitFor()
  await setOptions(site.root, { PasswordLoginEnabled: true })
})
