import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { openSettings, type Settings } from '../api/settings.ts'
import { type Outside, openOutside } from '../compose/integrations.ts'
import { setClock } from '../core/clock.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { createLogger } from '../core/logger.ts'
import { createSecrets } from '../core/crypto.ts'
import { PARTIES } from '../integrations/parties.ts'
import { buildBill, createUser, openTestLedger, type TestLedger, buildHoldRequest } from '../ledger/testing.ts'
import { openEgress } from '../relay/upstream/safe-fetch.ts'
import { send } from '../relay/upstream/send.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { type LocalParty, openLocalParty } from '../testing/local-party.ts'

const HOUR_MS = 3_600_000
const secrets = createSecrets('the secret key of the tests')

let post: LocalMailServer
let hook: LocalParty
let books: TestLedger
let settings: Settings
let processes: Outside[]
let logged: string
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
  logged = ''
  processes = []
  post = await openLocalMailServer()
  hook = openLocalParty({ isEncrypted: true })
  hook.answers['/hook'] = () => new Response('thanks')
  books = await openTestLedger({ onCharged: userIds => processes[0]?.balanceWatch.note(userIds) })
  await option('SMTPServer', 'localhost')
  await option('SMTPPort', String(post.port))
  await option('SMTPAccount', MAIL_ACCOUNT.user)
  await option('SMTPToken', secrets.encrypt(MAIL_ACCOUNT.password))
  await option('ServerAddress', 'https://gate.example')
  settings = await openSettings({ db: books.db, secrets, log: noted })
  processes = [openProcess(), openProcess()]
})
afterEach(async () => {
  for (const process of processes) await process.close()
  await books.close()
  await hook.close()
  await post.close()
  restore()
})

const noted = createLogger({
  level: 'warn',
  isPretty: false,
  write: line => {
    logged += line
  },
})
const option = (key: string, value: string) => books.db.insertInto('options').values({ key, value }).execute()

const openProcess = (allowed: readonly string[] = ['127.0.0.1', '::1']): Outside =>
  openOutside({
    db: books.db,
    settings,
    secrets,
    log: noted,
    rateLimiter: createLocalRateLimiter(),
    send,
    egress: openEgress({ allowed, authority: post.authority }),
    parties: { ...PARTIES, mailAuthority: post.authority },
  })

async function addUser(units: number, columns: { email?: string; setting?: string; role?: number } = {}) {
  const id = await createUser(books.db, units)
  const email = columns.email ?? `${id}@example.org`
  await books.db
    .updateTable('users')
    .set({ ...columns, email })
    .where('id', '=', id)
    .execute()
  return id
}

/** Charges a user the way every request does. */
async function charge(userId: number, units: number, held = units): Promise<void> {
  const hold = await books.ledger.reserve(buildHoldRequest(userId, held))
  await books.ledger.settle(hold, buildBill(units))
}

async function chargeAndLook(userId: number, units: number): Promise<void> {
  await charge(userId, units)
  await processes[0]?.balanceWatch.look()
}

const webhookSetting = (changes: object = {}) =>
  JSON.stringify({
    notify_type: 'webhook',
    quota_warning_threshold: 5000,
    webhook_url: `${hook.url}/hook`,
    webhook_secret: secrets.encrypt('hush'),
    ...changes,
  })

describe('a low balance', () => {
  test('is told by mail, with what is left after the charge and the way to top up', async () => {
    const anna = await addUser(2000)
    await chargeAndLook(anna, 1400)
    expect(post.mails.map(({ to }) => to)).toEqual([[`${anna}@example.org`]])
    expect(post.mails[0]?.text).toContain('＄0.001200')
    expect(post.mails[0]?.text).toContain('https://gate.example/topup')
  })

  test('is not told while the balance stays above the threshold, reserved amounts included', async () => {
    const anna = await addUser(9000)
    await books.ledger.reserve(buildHoldRequest(anna, 7900))
    await chargeAndLook(anna, 50)
    expect(post.mails).toEqual([])
  })

  test('is told once in two hours, however many charges follow', async () => {
    const anna = await addUser(900)
    for (let i = 0; i < 3; i += 1) await chargeAndLook(anna, 10)
    now += 2 * HOUR_MS - 1000
    await chargeAndLook(anna, 10)
    expect(post.mails).toHaveLength(1)
    now += 1000
    await chargeAndLook(anna, 10)
    expect(post.mails).toHaveLength(2)
  })

  test('is told once although several processes see it at the same time', async () => {
    const anna = await addUser(500)
    processes.push(openProcess(), openProcess())
    for (const { balanceWatch } of processes) balanceWatch.note([anna])
    await Promise.all(processes.map(({ balanceWatch }) => balanceWatch.look()))
    expect(post.mails).toHaveLength(1)
  })

  test('is judged and told as the user wishes', async () => {
    const setting = {
      notify_type: 'email',
      quota_warning_threshold: 100,
      notification_email: 'x@example.org',
    }
    const anna = await addUser(900, { setting: JSON.stringify(setting) })
    await chargeAndLook(anna, 700)
    expect(post.mails).toEqual([])
    await chargeAndLook(anna, 150)
    expect(post.mails.map(({ to }) => to)).toEqual([['x@example.org']])
  })

  test('is told to a webhook with its secret as bearer and a signature of the body', async () => {
    const anna = await addUser(900, { setting: webhookSetting() })
    await chargeAndLook(anna, 10)
    const [asked] = hook.asked
    expect(asked?.method).toBe('POST')
    expect(asked?.headers.get('authorization')).toBe('Bearer hush')
    const signature = createHmac('sha256', 'hush')
      .update(asked?.body ?? '')
      .digest('hex')
    expect(asked?.headers.get('x-webhook-signature')).toBe(signature)
    const told = JSON.parse(asked?.body ?? '{}')
    expect(told).toMatchObject({
      type: 'quota_exceed',
      values: ['＄0.001780', 'https://gate.example/topup'],
      timestamp: now / 1000,
    })
    expect(told.content).not.toContain('{{')
    expect(post.mails).toEqual([])
  })

  test("goes through the administrator's worker where there is one", async () => {
    const worker = openLocalParty()
    worker.answers['/'] = () => new Response('ok')
    await option('WorkerUrl', worker.url)
    await option('WorkerValidKey', secrets.encrypt('worker key'))
    settings = await openSettings({ db: books.db, secrets, log: noted })
    processes.unshift(openProcess())
    const setting = webhookSetting({ webhook_url: 'https://hook.example/x' })
    await chargeAndLook(await addUser(900, { setting }), 10)
    expect(JSON.parse(worker.asked[0]?.body ?? '{}')).toMatchObject({
      url: 'https://hook.example/x',
      key: 'worker key',
      method: 'POST',
      headers: { authorization: 'Bearer hush' },
      body: { type: 'quota_exceed' },
    })
    await worker.close()
  })

  test('is never told to an address inside the network', async () => {
    processes.unshift(openProcess([]))
    await chargeAndLook(await addUser(900, { setting: webhookSetting() }), 10)
    expect(hook.asked).toEqual([])
    expect(logged).toContain('could not be warned')
    expect(logged).not.toContain(hook.url)
  })

  test('that could not be told is told ten minutes later', async () => {
    hook.answers['/hook'] = () => new Response('', { status: 500 })
    const anna = await addUser(900, { setting: webhookSetting() })
    for (let i = 0; i < 3; i += 1) await chargeAndLook(anna, 10)
    expect(hook.asked).toHaveLength(1)
    now += 10 * 60_000
    hook.answers['/hook'] = () => new Response('thanks')
    for (let i = 0; i < 3; i += 1) await chargeAndLook(anna, 10)
    expect(hook.asked).toHaveLength(2)
  })

  test('without an address costs nothing, and is told once there is one', async () => {
    const anna = await addUser(900, { email: '' })
    await chargeAndLook(anna, 10)
    await books.db.updateTable('users').set({ email: 'a@example.org' }).where('id', '=', anna).execute()
    await chargeAndLook(anna, 10)
    expect(post.mails).toHaveLength(1)
  })
})

describe('the super administrator', () => {
  test('is told which channel was disabled and why, and that one came back', async () => {
    await addUser(0, { role: 100, email: 'root@example.org' })
    const [first] = processes
    first?.rootNotices.channelDisabled({ id: 7, name: 'cheap' }, 'status 401: key revoked')
    first?.rootNotices.channelEnabled({ id: 7, name: 'cheap' })
    await first?.rootNotices.close()
    expect(post.mails.map(({ to }) => to)).toEqual([['root@example.org'], ['root@example.org']])
    const texts = post.mails.map(({ text }) => text).sort()
    expect(texts.join()).toContain('cheap (#7)')
    expect(texts.join()).toContain('key revoked')
  })

  test('is not told of the same channel more than twice an hour', async () => {
    await addUser(0, { role: 100, email: 'root@example.org' })
    const [first] = processes
    for (let i = 0; i < 5; i += 1) first?.rootNotices.channelDisabled({ id: 7, name: 'cheap' }, 'dead')
    first?.rootNotices.channelDisabled({ id: 8, name: 'other' }, 'dead')
    await first?.rootNotices.close()
    expect(post.mails).toHaveLength(3)
  })

  test('is told by webhook too', async () => {
    await addUser(0, { role: 100, setting: webhookSetting() })
    processes[0]?.rootNotices.channelDisabled({ id: 7, name: 'cheap' }, 'dead')
    await processes[0]?.rootNotices.close()
    expect(JSON.parse(hook.asked[0]?.body ?? '{}')).toMatchObject({
      type: 'channel_update_7_3',
      values: ['cheap', '7', 'dead'],
    })
  })

  test('who left no address is not told, and nothing fails', async () => {
    await addUser(0, { role: 100, email: '' })
    processes[0]?.rootNotices.channelDisabled({ id: 7, name: 'cheap' }, 'dead')
    await processes[0]?.rootNotices.close()
    expect([post.mails.length, logged]).toEqual([0, ''])
  })
})
