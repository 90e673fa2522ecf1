import type { OptionValues } from '#contract/options/system-options.ts'
import type { MailServer } from '../integrations/mail-server.ts'

/** RFC 8314: TLS from the first byte, and submission, which is not done in the clear. */
const PORT = { tls: 465, submission: 587 } as const

/** The mail server that the options name; undefined while they name none. */
export function mailServerOf(options: OptionValues): MailServer | undefined {
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
  if (SMTPSSLEnabled || SMTPPort === PORT.tls) return 'at-once'
  return SMTPPort === PORT.submission ? 'needed' : 'offered'
}
