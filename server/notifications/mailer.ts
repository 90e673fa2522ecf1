import { apiErrors } from '../core/api-error.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'

/** Concurrent deliveries. Further mails are rejected, so that a hanging mail server does not pile them up. */
const DELIVERIES_MAX = 50
const SMTP_STEP_TIMEOUT_MS = 10_000

const mailError = apiErrors('mail', {
  not_configured: { zh: '管理员未配置邮件服务', en: 'email is not configured' },
  failed: { zh: '邮件发送失败，请联系管理员', en: 'the email could not be sent; contact the administrator' },
  server_said: { zh: '邮件发送失败：{reason}', en: 'the email could not be sent: {reason}' },
  busy: { zh: '邮件服务繁忙，请稍后重试', en: 'too many emails are being sent; try again later' },
})

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Settings of the operator's SMTP server. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** Empty when the server needs no authentication. */
  readonly account: string
  readonly password: string
  readonly sender: { readonly name: string; readonly address: string }
  /** TLS from the first byte; STARTTLS before anything is sent; or STARTTLS where the server offers it. */
  readonly tls: 'implicit' | 'required' | 'opportunistic'
}

/** Sends mail through the server that the options name at that moment. */
export interface Mailer {
  /** Throws mail.not_configured unless there is a mail server. */
  requireServer(): MailServer
  /** Resolves when the server has accepted the mail. Throws a mail error; the server's response is only logged. */
  send(mail: Mail): Promise<void>
  /** Sends without being awaited, so that response times reveal nothing about the recipient. Failures are logged. */
  sendInBackground(mail: Mail): void
  /** Tests the settings. Throws an error with the server's response, so it is for administrators only. */
  sendTest(mail: Mail): Promise<void>
  /** Waits for the mails being sent. */
  close(): Promise<void>
}

interface MailerDeps {
  readonly log: Logger
  /** Undefined while the options name none. */
  readonly server: () => MailServer | undefined
  /** Certificate authority (PEM) that the server is verified against, instead of the system's. */
  readonly authority?: string | undefined
}

export function createMailer({ log, server, authority }: MailerDeps): Mailer {
  const deliveries = new Set<Promise<void>>()
  const requireServer = (): MailServer => {
    const current = server()
    if (!current) throw mailError('not_configured')
    return current
  }
  const attempt = async (mail: Mail): Promise<{ readonly failure?: string }> => {
    const current = requireServer()
    if (deliveries.size >= DELIVERIES_MAX) throw mailError('busy')
    const delivery = deliver(mail, current, authority)
    deliveries.add(delivery)
    try {
      await delivery
      return {}
    } catch (error) {
      const failure = errorMessage(error)
      log.error('an email could not be sent', { subject: mail.subject, reason: failure })
      return { failure }
    } finally {
      deliveries.delete(delivery)
    }
  }
  return {
    requireServer,
    async send(mail) {
      const { failure } = await attempt(mail)
      if (failure !== undefined) throw mailError('failed')
    },
    sendInBackground(mail) {
      attempt(mail).catch(error =>
        log.warn('an email was not sent', { subject: mail.subject, reason: errorMessage(error) }),
      )
    },
    async sendTest(mail) {
      const { failure } = await attempt(mail)
      if (failure !== undefined) throw mailError('server_said', { reason: failure })
    },
    close: async () => void (await Promise.allSettled(deliveries)),
  }
}

/** Delivers one mail over a connection of its own; the library is loaded with the first one. Certificates are always verified. Throws the error of the transport. */
async function deliver(mail: Mail, server: MailServer, authority?: string): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const { host, port, account, password, sender, tls } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ...(account !== '' && { auth: { user: account, pass: password } }),
    ...(authority !== undefined && { tls: { ca: authority } }),
    connectionTimeout: SMTP_STEP_TIMEOUT_MS,
    greetingTimeout: SMTP_STEP_TIMEOUT_MS,
    socketTimeout: SMTP_STEP_TIMEOUT_MS,
  })
  try {
    await transport.sendMail({ from: sender, ...mail })
  } finally {
    transport.close()
  }
}
