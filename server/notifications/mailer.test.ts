import { afterEach, expect, test } from 'bun:test'
import { createLogger, noopLogger } from '../core/logger.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { renderEmail } from './email-template.ts'
import { createMailer, type MailServer } from './mailer.ts'

const opened: LocalMailServer[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

async function open(tls: Parameters<typeof openLocalMailServer>[0]) {
  const local = await openLocalMailServer(tls)
  opened.push(local)
  return local
}

const serverAt = (port: number, changes: Partial<MailServer> = {}): MailServer => ({
  host: 'localhost',
  port,
  account: MAIL_ACCOUNT.user,
  password: MAIL_ACCOUNT.password,
  sender: { name: '网关 Gate', address: MAIL_ACCOUNT.user },
  tls: 'opportunistic',
  ...changes,
})

const mailerOf = (local: LocalMailServer, changes: Partial<MailServer> = {}, authority = local.authority) =>
  createMailer({ log: noopLogger, server: () => serverAt(local.port, changes), authority })

const mail = renderEmail(
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
  ['implicit', 'implicit'],
  ['starttls', 'required'],
  ['starttls', 'opportunistic'],
] as const)('a server with %s TLS receives encrypted mail when TLS is %s', async (serverTls, tls) => {
  const local = await open(serverTls)
  await mailerOf(local, { tls }).send(mail)
  expect(local.mails).toMatchObject([
    {
      from: MAIL_ACCOUNT.user,
      to: ['anna@example.org'],
      isEncrypted: true,
      subject: '[网关] 验证',
    },
  ])
  for (const part of ['你好 <b>&', 'AB12CD', 'https://x.example/?a=1&b=2'])
    expect(local.mails[0]?.text).toContain(part)
})

test('escapes user input in the HTML of a mail', () => {
  expect(mail.html).toContain('你好 &lt;b&gt;&amp;')
  expect(mail.html).toContain('href="https://x.example/?a=1&amp;b=2"')
})

test('sends unencrypted only to a server without STARTTLS, and only when TLS is not required', async () => {
  const local = await open('none')
  await mailerOf(local).send(mail)
  expect(local.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([false])
  await expect(mailerOf(local, { tls: 'required' }).send(mail)).rejects.toMatchObject({ code: 'mail.failed' })
  expect(local.mails).toHaveLength(1)
})

test.each([
  ['implicit', 'implicit'],
  ['starttls', 'required'],
] as const)(
  'does not deliver to a server with %s TLS and an untrusted certificate (%s)',
  async (serverTls, tls) => {
    const local = await open(serverTls)
    const mailer = createMailer({ log: noopLogger, server: () => serverAt(local.port, { tls }) })
    await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'mail.failed' })
    expect(local.mails).toEqual([])
  },
)

test('shows the response of the mail server to administrators and in the log only', async () => {
  let logged = ''
  const log = createLogger({ level: 'info', isPretty: false, write: line => (logged += line) })
  const local = await open('starttls')
  const server = serverAt(local.port, { password: 'wrong' })
  const mailer = createMailer({ log, server: () => server, authority: local.authority })
  const message = await mailer.send(mail).catch(error => error.message)
  expect(message).not.toContain('535')
  expect(await mailer.sendTest(mail).catch(error => error.message)).toContain('535')
  expect(logged).toContain('535')
  expect(logged).not.toContain('anna@example.org')
})

test('rejects a mail while no mail server is configured', async () => {
  const mailer = createMailer({ log: noopLogger, server: () => undefined })
  await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'mail.not_configured' })
})

test('waits for background mails when it closes', async () => {
  const local = await open('starttls')
  const mailer = mailerOf(local)
  for (let i = 0; i < 5; i += 1) mailer.sendInBackground(mail)
  await mailer.close()
  expect(local.mails).toHaveLength(5)
})
