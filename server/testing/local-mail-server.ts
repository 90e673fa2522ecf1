import { SMTPServer } from 'smtp-server'
import { LOCALHOST } from './localhost.ts'

const MAIL_TIMEOUT_MS = 5000
export const MAIL_ACCOUNT = { user: 'gate@example.org', password: 'mail password' } as const

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly isEncrypted: boolean
  readonly subject: string
  readonly text: string
  readonly raw: string
}

/** An SMTP server on this machine. It accepts mail from `MAIL_ACCOUNT` and stores it. */
export interface LocalMailServer {
  readonly port: number
  /** The certificate of its certificate authority, as PEM. */
  readonly authority: string
  readonly mails: ReceivedMail[]
  /** Waits for mail that arrived after the previous call. Throws when none does in time. */
  next(): Promise<void>
  close(): Promise<void>
}

export async function openLocalMailServer(
  tls: 'implicit' | 'starttls' | 'none' = 'starttls',
): Promise<LocalMailServer> {
  const mails: ReceivedMail[] = []
  let awaitedCount = 0
  const server = new SMTPServer({
    secure: tls === 'implicit',
    ...LOCALHOST,
    ...(tls === 'none' && { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    onAuth({ username, password }, _, callback) {
      const isKnown = username === MAIL_ACCOUNT.user && password === MAIL_ACCOUNT.password
      if (isKnown) callback(null, { user: username })
      else callback(new Error('535 wrong credentials'))
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Uint8Array[] = []
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, isEncrypted: secure, raw, ...readMail(raw) })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    port: address.port,
    authority: LOCALHOST.cert,
    mails,
    async next() {
      const deadlineMs = performance.now() + MAIL_TIMEOUT_MS
      while (mails.length <= awaitedCount && performance.now() < deadlineMs) await Bun.sleep(5)
      if (mails.length <= awaitedCount) throw new Error('no mail arrived')
      awaitedCount = mails.length
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

/** Decodes the subject and the plain text of a mail. */
function readMail(raw: string): Pick<ReceivedMail, 'subject' | 'text'> {
  const folded = /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(raw)?.[1] ?? ''
  const subject = folded
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
  const part =
    /Content-Type: text\/plain[^\n]*\n(?:Content-Transfer-Encoding: ([\w-]+)\r?\n)?\r?\n([\s\S]*?)\r?\n--/.exec(
      raw,
    )
  const [, encoding = '7bit', body = ''] = part ?? []
  if (encoding === 'base64') return { subject, text: Buffer.from(body, 'base64').toString() }
  return { subject, text: encoding === 'quoted-printable' ? decodeQuoted(body) : body }
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
