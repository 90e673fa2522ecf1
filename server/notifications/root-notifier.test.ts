import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { systemOptions } from '#contract/options/system-options.ts'
import { createIntegrations, type Integrations } from '../compose/integrations.ts'
import { setClock } from '../core/clock.ts'
import { createSecrets } from '../core/crypto.ts'
import { sameInBoth } from '../core/language.ts'
import { createLogger } from '../core/logger.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { createSafeFetch } from '../http-client/safe-fetch.ts'
import { send } from '../http-client/send.ts'
import {
  buildBill,
  buildHoldRequest,
  createUser,
  openTestLedger,
  type TestLedger,
} from '../ledger/testing.ts'
import { loadSettings, type Settings } from '../settings/settings.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { type LocalServer, openLocalServer } from '../testing/local-server.ts'

const HOUR_MS = 3_600_000
const secrets = createSecrets('the secret key of the tests')

let mailServer: LocalMailServer
let webhook: LocalServer
let testLedger: TestLedger
let settings: Settings
let processes: Integrations[]
let logged: string
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
  logged = ''
  processes = []
  mailServer = await openLocalMailServer()
  webhook = openLocalServer({ isEncrypted: true })
  webhook.handlers['/hook'] = () => new Response('ok')
  testLedger = await openTestLedger({
    onCharged: userIds => processes[0]?.lowBalanceMonitor.recordCharge(userIds),
  })
  await option('SMTPServer', 'localhost')
  await option('SMTPPort', String(mailServer.port))
  await option('SMTPAccount', MAIL_ACCOUNT.user)
  await option('SMTPToken', secrets.encrypt(MAIL_ACCOUNT.password))
  await option('ServerAddress', 'https://gate.example')
  settings = await loadSettings({ db: testLedger.db, secrets, log: warnings, options: systemOptions })
  processes = [openProcess(), openProcess()]
})
afterEach(async () => {
  for (const process of processes) await process.close()
  await testLedger.close()
  await webhook.close()
  await mailServer.close()
  restore()
})

const warnings = createLogger({
  level: 'warn',
  isPretty: false,
  write: line => {
    logged += line
  },
})
const option = (key: string, value: string) =>
  testLedger.db.insertInto('options').values({ key, value }).execute()

const openProcess = (allowed: readonly string[] = ['127.0.0.1', '::1']): Integrations =>
  createIntegrations({
    db: testLedger.db,
    settings,
    secrets,
    log: warnings,
    rateLimiter: createLocalRateLimiter(),
    send,
    safeFetch: createSafeFetch({ allowed, authority: mailServer.authority }),
    providerEndpoints: { ...PROVIDER_ENDPOINTS, mailCertificateAuthority: mailServer.authority },
  })

async function addUser(units: number, columns: { email?: string; setting?: string; role?: number } = {}) {
  const id = await createUser(testLedger.db, units)
  const email = columns.email ?? `${id}@example.org`
  await testLedger.db
    .updateTable('users')
    .set({ ...columns, email })
    .where('id', '=', id)
    .execute()
  return id
}

/** Charges a user as a request does. */
async function charge(userId: number, units: number, held = units): Promise<void> {
  const hold = await testLedger.ledger.reserve(buildHoldRequest(userId, held))
  await testLedger.ledger.settle(hold, buildBill(units))
}

async function chargeAndCheck(userId: number, units: number): Promise<void> {
  await charge(userId, units)
  await processes[0]?.lowBalanceMonitor.checkNow()
}

const webhookSetting = (changes: object = {}) =>
  JSON.stringify({
    notify_type: 'webhook',
    quota_warning_threshold: 5000,
    webhook_url: `${webhook.url}/hook`,
    webhook_secret: secrets.encrypt('hush'),
    ...changes,
  })

describe('a low balance warning', () => {
  test('is sent by mail with the remaining balance and a link to top up', async () => {
    const anna = await addUser(2000)
    await chargeAndCheck(anna, 1400)
    expect(mailServer.mails.map(({ to }) => to)).toEqual([[`${anna}@example.org`]])
    expect(mailServer.mails[0]?.text).toContain('＄0.001200')
    expect(mailServer.mails[0]?.text).toContain('https://gate.example/topup')
  })

  test('is not sent while the balance including holds stays above the threshold', async () => {
    const anna = await addUser(9000)
    await testLedger.ledger.reserve(buildHoldRequest(anna, 7900))
    await chargeAndCheck(anna, 50)
    expect(mailServer.mails).toEqual([])
  })

  test('is sent at most once in two hours', async () => {
    const anna = await addUser(900)
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    now += 2 * HOUR_MS - 1000
    await chargeAndCheck(anna, 10)
    expect(mailServer.mails).toHaveLength(1)
    now += 1000
    await chargeAndCheck(anna, 10)
    expect(mailServer.mails).toHaveLength(2)
  })

  test('is sent once when several processes detect the low balance at the same time', async () => {
    const anna = await addUser(500)
    processes.push(openProcess(), openProcess())
    for (const { lowBalanceMonitor } of processes) lowBalanceMonitor.recordCharge([anna])
    await Promise.all(processes.map(({ lowBalanceMonitor }) => lowBalanceMonitor.checkNow()))
    expect(mailServer.mails).toHaveLength(1)
  })

  test('follows the threshold and the address of the user', async () => {
    const setting = {
      notify_type: 'email',
      quota_warning_threshold: 100,
      notification_email: 'x@example.org',
    }
    const anna = await addUser(900, { setting: JSON.stringify(setting) })
    await chargeAndCheck(anna, 700)
    expect(mailServer.mails).toEqual([])
    await chargeAndCheck(anna, 150)
    expect(mailServer.mails.map(({ to }) => to)).toEqual([['x@example.org']])
  })

  test('is sent to a webhook with its secret as a bearer token and a signature of the body', async () => {
    const anna = await addUser(900, { setting: webhookSetting() })
    await chargeAndCheck(anna, 10)
    const [request] = webhook.requests
    expect(request?.method).toBe('POST')
    expect(request?.headers.get('authorization')).toBe('Bearer hush')
    const signature = createHmac('sha256', 'hush')
      .update(request?.body ?? '')
      .digest('hex')
    expect(request?.headers.get('x-webhook-signature')).toBe(signature)
    const body = JSON.parse(request?.body ?? '{}')
    expect(body).toMatchObject({
      type: 'quota_exceed',
      values: ['＄0.001780', 'https://gate.example/topup'],
      timestamp: now / 1000,
    })
    expect(body.content).not.toContain('{{')
    expect(mailServer.mails).toEqual([])
  })

  test("is sent through the administrator's worker if there is one", async () => {
    const worker = openLocalServer()
    worker.handlers['/'] = () => new Response('ok')
    await option('WorkerUrl', worker.url)
    await option('WorkerValidKey', secrets.encrypt('worker key'))
    settings = await loadSettings({ db: testLedger.db, secrets, log: warnings, options: systemOptions })
    processes.unshift(openProcess())
    const setting = webhookSetting({ webhook_url: 'https://hook.example/x' })
    await chargeAndCheck(await addUser(900, { setting }), 10)
    expect(JSON.parse(worker.requests[0]?.body ?? '{}')).toMatchObject({
      url: 'https://hook.example/x',
      key: 'worker key',
      method: 'POST',
      headers: { authorization: 'Bearer hush' },
      body: { type: 'quota_exceed' },
    })
    await worker.close()
  })

  test('is never sent to a private address', async () => {
    processes.unshift(openProcess([]))
    await chargeAndCheck(await addUser(900, { setting: webhookSetting() }), 10)
    expect(webhook.requests).toEqual([])
    expect(logged).toContain('a low balance warning could not be sent')
    expect(logged).not.toContain(webhook.url)
  })

  test('is sent again ten minutes after it could not be delivered', async () => {
    webhook.handlers['/hook'] = () => new Response('', { status: 500 })
    const anna = await addUser(900, { setting: webhookSetting() })
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    expect(webhook.requests).toHaveLength(1)
    now += 10 * 60_000
    webhook.handlers['/hook'] = () => new Response('ok')
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    expect(webhook.requests).toHaveLength(2)
  })

  test('is sent to a user without an address once they have one', async () => {
    const anna = await addUser(900, { email: '' })
    await chargeAndCheck(anna, 10)
    await testLedger.db.updateTable('users').set({ email: 'a@example.org' }).where('id', '=', anna).execute()
    await chargeAndCheck(anna, 10)
    expect(mailServer.mails).toHaveLength(1)
  })
})

describe('the notification of the super administrator', () => {
  test('names the channel that was disabled or enabled, and the reason', async () => {
    await addUser(0, { role: 100, email: 'root@example.org' })
    const [first] = processes
    first?.rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('status 401: key revoked'))
    first?.rootNotifier.channelEnabled({ id: 7, name: 'cheap' })
    await first?.rootNotifier.close()
    expect(mailServer.mails.map(({ to }) => to)).toEqual([['root@example.org'], ['root@example.org']])
    const texts = mailServer.mails.map(({ text }) => text).sort()
    expect(texts.join()).toContain('cheap (#7)')
    expect(texts.join()).toContain('key revoked')
  })

  test('is sent at most twice an hour for each channel', async () => {
    await addUser(0, { role: 100, email: 'root@example.org' })
    const [first] = processes
    for (let i = 0; i < 5; i += 1)
      first?.rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    first?.rootNotifier.channelDisabled({ id: 8, name: 'other' }, sameInBoth('dead'))
    await first?.rootNotifier.close()
    expect(mailServer.mails).toHaveLength(3)
  })

  test.each([
    ['zh', '渠道 cheap (#7) 已被禁用', '原因：密钥已失效', 'the key is dead'],
    ['en', 'Channel cheap (#7) was disabled', 'the key is dead', '密钥已失效'],
  ])('is written in the language %s that the recipient chose', async (language, subject, text, other) => {
    const reason = { zh: '密钥已失效', en: 'the key is dead' }
    const setting = JSON.stringify({ notify_type: 'email', notification_language: language })
    await addUser(0, { role: 100, email: 'root@example.org', setting })
    processes[0]?.rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, reason)
    await processes[0]?.rootNotifier.close()
    const [mail] = mailServer.mails
    expect(mail?.subject).toEndWith(`] ${subject}`)
    expect(mail?.text).toContain(text)
    expect(mail?.text).not.toContain(other)
  })

  test('is sent by webhook in the language that the recipient chose', async () => {
    const setting = { ...JSON.parse(webhookSetting()), notification_language: 'zh' }
    await addUser(0, { role: 100, setting: JSON.stringify(setting) })
    processes[0]?.rootNotifier.channelEnabled({ id: 7, name: 'cheap' })
    await processes[0]?.rootNotifier.close()
    expect(JSON.parse(webhook.requests[0]?.body ?? '{}')).toMatchObject({
      title: '渠道 cheap (#7) 已被启用',
      content: '渠道 cheap (#7) 通过测试，已被自动启用',
    })
  })

  test('is sent by webhook if so configured', async () => {
    await addUser(0, { role: 100, setting: webhookSetting() })
    processes[0]?.rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    await processes[0]?.rootNotifier.close()
    expect(JSON.parse(webhook.requests[0]?.body ?? '{}')).toMatchObject({
      type: 'channel_update_7_3',
      values: ['cheap', '7', 'dead'],
    })
  })

  test('is skipped without an address', async () => {
    await addUser(0, { role: 100, email: '' })
    processes[0]?.rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    await processes[0]?.rootNotifier.close()
    expect([mailServer.mails.length, logged]).toEqual([0, ''])
  })
})
