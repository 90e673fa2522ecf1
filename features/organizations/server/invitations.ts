import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import type { Language } from '#server/core/language.ts'
import { type EmailTemplate, renderEmail } from '#server/notifications/email-template.ts'
import { INVITATION_DAYS } from '../contract/members.ts'

const PURPOSE = 'organization-invitation'
const SECRET_CHARS = 32
const DAY_SECONDS = 86_400

export const hashInvitation = (secret: string, secrets: Pick<ApiContext['secrets'], 'hash'>): string =>
  secrets.hash(PURPOSE, secret)

/** A new secret, and the columns that store it. */
export function newInvitation(secrets: Pick<ApiContext['secrets'], 'hash'>) {
  const secret = randomAlphanumeric(SECRET_CHARS)
  return {
    secret,
    columns: {
      invitation_hash: hashInvitation(secret, secrets),
      invited_until: nowSeconds() + INVITATION_DAYS * DAY_SECONDS,
    },
  }
}

interface InvitationMail {
  readonly email: string
  readonly secret: string
  readonly organization: string
}

/** Mails invitations to those with an address. Throws before the first when the gateway cannot. */
export function createInvitationMailer({
  mailer,
  settings,
  language,
}: Pick<ApiContext, 'mailer' | 'settings' | 'language'>) {
  const { ServerAddress, SystemName } = settings.current().values
  return {
    requireFor(people: readonly { readonly email: string }[]): void {
      if (people.some(({ email }) => email !== '')) mailer.requireServer()
    },
    send({ email, secret, organization }: InvitationMail): void {
      if (email === '') return
      const url = `${ServerAddress}/join?invitation=${secret}`
      mailer.sendInBackground(renderEmail(email, TEMPLATES[language](organization, url), SystemName))
    },
  }
}

const TEMPLATES: Readonly<Record<Language, (organization: string, url: string) => EmailTemplate>> = {
  zh: (organization, url) => ({
    subject: `邀请您加入 ${organization}`,
    lines: [`您好，您被邀请加入组织“${organization}”。`],
    link: { text: '加入组织', url },
    note: `邀请 ${INVITATION_DAYS} 天内有效，只能使用一次。如果您不认识对方，请忽略此邮件。`,
  }),
  en: (organization, url) => ({
    subject: `You are invited to ${organization}`,
    lines: [`Hello, you are invited to join the organisation ${organization}.`],
    link: { text: 'Join the organisation', url },
    note: `The invitation is valid for ${INVITATION_DAYS} days and can be used once. If you do not know the sender, ignore this email.`,
  }),
}
