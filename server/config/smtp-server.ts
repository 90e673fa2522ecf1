import type { OptionValues } from '#contract/options/system-options.ts'
import type { MailServer } from '../notifications/mailer.ts'

/** Port 465 is implicit TLS, and 587 is submission, which is never unencrypted. Source: RFC 8314 */
const PORT = { tls: 465, submission: 587 } as const

/** Reads the mail server from the options; undefined while they name none. */
export function readMailServer(options: OptionValues): MailServer | undefined {
  const address = options.SMTPFrom || options.SMTPAccount
  if (options.SMTPServer === '' || address === '') return undefined
  return {
    host: options.SMTPServer,
    port: options.SMTPPort,
    account: options.SMTPAccount,
    password: options.SMTPToken,
    sender: { name: options.SystemName, address },
    tls: tlsOf(options),
  }
}

function tlsOf({ SMTPPort, SMTPSSLEnabled }: OptionValues): MailServer['tls'] {
  if (SMTPSSLEnabled || SMTPPort === PORT.tls) return 'implicit'
  return SMTPPort === PORT.submission ? 'required' : 'opportunistic'
}
