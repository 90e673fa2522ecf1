import { createTransport } from 'nodemailer'

/** The operator's mail server. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** Empty: it wants no account. */
  readonly account: string
  readonly password: string
  readonly sender: { readonly name: string; readonly address: string }
  /** TLS from the first byte; insisted on before anything is said; or used when the server offers it. */
  readonly tls: 'at-once' | 'needed' | 'offered'
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

const STEP_TIMEOUT_MS = 10_000

/**
 * Hands a mail to the server. Certificates are always checked: by `authority` where it is given, else by those that the
 * system knows. Throws what went wrong.
 */
export async function deliver(mail: Mail, server: MailServer, authority?: string): Promise<void> {
  const { host, port, account, password, sender, tls } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'at-once',
    requireTLS: tls === 'needed',
    ...(account !== '' && { auth: { user: account, pass: password } }),
    ...(authority !== undefined && { tls: { ca: authority } }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
  })
  try {
    await transport.sendMail({ from: sender, ...mail })
  } finally {
    transport.close()
  }
}
