import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { apiErrors } from '../core/api-error.ts'
import { deliver, type Mail, type MailServer } from './mail-server.ts'

/** Mails on their way at once. What comes beyond is refused: a server that hangs must not pile them up. */
const UNDER_WAY_MAX = 50

export const refuseMail = apiErrors('mail', {
  not_configured: { zh: '管理员未配置邮件服务', en: 'sending mail is not set up here' },
  failed: { zh: '邮件发送失败，请联系管理员', en: 'the mail could not be sent, contact the administrator' },
  server_said: { zh: '邮件发送失败：{reason}', en: 'the mail could not be sent: {reason}' },
  busy: { zh: '邮件服务繁忙，请稍后重试', en: 'too many mails are on their way, try again later' },
})

/** Sends mail through the server that the options name at that moment. */
export interface Mailer {
  /** Throws the refusal mail.not_configured unless there is a mail server. */
  requireServer(): MailServer
  /** Resolves when the server has taken the mail. Throws a refusal; what the server said stands in the log only. */
  send(mail: Mail): Promise<void>
  /** Sends in the background: nobody waits, so nobody learns from the time it takes. What fails stands in the log. */
  post(mail: Mail): void
  /** Sends to try the settings. Throws a refusal that says what the server said: for administrators only. */
  probe(mail: Mail): Promise<void>
  /** Waits for the mails under way. */
  close(): Promise<void>
}

interface MailerParts {
  readonly log: Logger
  /** Undefined while the options name none. */
  readonly server: () => MailServer | undefined
  /** A certificate (PEM) that the server is believed by, instead of those that the system knows. */
  readonly authority?: string | undefined
}

export function openMailer({ log, server, authority }: MailerParts): Mailer {
  const underWay = new Set<Promise<void>>()
  const requireServer = (): MailServer => {
    const found = server()
    if (!found) throw refuseMail('not_configured')
    return found
  }
  const attempt = async (mail: Mail): Promise<{ readonly failure?: string }> => {
    const found = requireServer()
    if (underWay.size >= UNDER_WAY_MAX) throw refuseMail('busy')
    const delivery = deliver(mail, found, authority)
    underWay.add(delivery)
    try {
      await delivery
      return {}
    } catch (error) {
      const failure = errorMessage(error)
      log.error('a mail could not be sent', { subject: mail.subject, reason: failure })
      return { failure }
    } finally {
      underWay.delete(delivery)
    }
  }
  return {
    requireServer,
    async send(mail) {
      const { failure } = await attempt(mail)
      if (failure !== undefined) throw refuseMail('failed')
    },
    post(mail) {
      attempt(mail).catch(error =>
        log.warn('a mail was not sent', { subject: mail.subject, reason: errorMessage(error) }),
      )
    },
    async probe(mail) {
      const { failure } = await attempt(mail)
      if (failure !== undefined) throw refuseMail('server_said', { reason: failure })
    },
    close: async () => void (await Promise.allSettled(underWay)),
  }
}
