import { afterEach, expect, test } from 'bun:test'
import { createLogger, noopLogger } from '../core/logger.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { drawLetter } from './letter.ts'
import type { MailServer } from './mail-server.ts'
import { openMailer } from './mailer.ts'

const opened: LocalMailServer[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

async function open(offers: Parameters<typeof openLocalMailServer>[0]) {
  const local = await openLocalMailServer(offers)
  opened.push(local)
  return local
}

const serverAt = (port: number, changes: Partial<MailServer> = {}): MailServer => ({
  host: 'localhost',
  port,
  account: MAIL_ACCOUNT.user,
  password: MAIL_ACCOUNT.password,
  sender: { name: '网关 Gate', address: MAIL_ACCOUNT.user },
  tls: 'offered',
  ...changes,
})

const mailerOf = (local: LocalMailServer, changes: Partial<MailServer> = {}, authority = local.authority) =>
  openMailer({ log: noopLogger, server: () => serverAt(local.port, changes), authority })

const mail = drawLetter(
  'anna@example.org',
  {
    subject: '验证',
    lines: ['你好 <b>&'],
    code: 'AB12CD',
    link: { text: 'go', url: 'https://x.example/?a=1&b=2' },
  },
  '网关',
)

test.each([
  ['from the first byte', 'at-once', 'at-once'],
  ['by STARTTLS where it is needed', 'offered', 'needed'],
  ['by STARTTLS where it is offered', 'offered', 'offered'],
] as const)('sends encrypted %s', async (_, offers, tls) => {
  const local = await open(offers)
  await mailerOf(local, { tls }).send(mail)
  expect(local.mails).toMatchObject([
    {
      from: MAIL_ACCOUNT.user,
      to: ['anna@example.org'],
      isEncrypted: true,
      subject: '网关: 验证',
    },
  ])
  for (const said of ['你好 <b>&', 'AB12CD', 'https://x.example/?a=1&b=2'])
    expect(local.mails[0]?.text).toContain(said)
})

test('what people wrote cannot become HTML', () => {
  expect(mail.html).toContain('你好 &lt;b&gt;&amp;')
  expect(mail.html).toContain('href="https://x.example/?a=1&amp;b=2"')
})

test('sends in the clear only where a server offers nothing else and nobody insists', async () => {
  const local = await open('none')
  await mailerOf(local).send(mail)
  expect(local.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([false])
  await expect(mailerOf(local, { tls: 'needed' }).send(mail)).rejects.toMatchObject({ code: 'mail.failed' })
  expect(local.mails).toHaveLength(1)
})

test.each([
  ['at-once', 'at-once'],
  ['offered', 'needed'],
] as const)('a certificate that nobody vouches for ends the delivery (%s)', async (offers, tls) => {
  const local = await open(offers)
  const mailer = openMailer({ log: noopLogger, server: () => serverAt(local.port, { tls }) })
  await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'mail.failed' })
  expect(local.mails).toEqual([])
})

test('what the server said is told to administrators and written down, and not told to others', async () => {
  let logged = ''
  const log = createLogger({ level: 'info', isPretty: false, write: line => (logged += line) })
  const local = await open('offered')
  const server = serverAt(local.port, { password: 'wrong' })
  const mailer = openMailer({ log, server: () => server, authority: local.authority })
  const told = await mailer.send(mail).catch(error => error.message)
  expect(told).not.toContain('535')
  expect(await mailer.probe(mail).catch(error => error.message)).toContain('535')
  expect(logged).toContain('535')
  expect(logged).not.toContain('anna@example.org')
})

test('without a server nothing is tried', async () => {
  const mailer = openMailer({ log: noopLogger, server: () => undefined })
  await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'mail.not_configured' })
})

test('closing waits for the mails that were posted', async () => {
  const local = await open('offered')
  const mailer = mailerOf(local)
  for (let i = 0; i < 5; i += 1) mailer.post(mail)
  await mailer.close()
  expect(local.mails).toHaveLength(5)
})
