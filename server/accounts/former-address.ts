import type { ApiContext } from '../api/context.ts'
import type { BothLanguages, Language } from '../core/language.ts'
import type { UserRow } from '../db/accounts/users.ts'
import { type EmailTemplate, renderEmail } from '../notifications/email-template.ts'

const NOT_YOU: BothLanguages = {
  zh: '如果不是您本人操作，请立即登录并修改密码，或联系管理员。',
  en: 'If this was not you, sign in and change your password immediately, or contact the administrator.',
}

/** Sent to the address that an account had before, so that its owner notices a takeover. */
const formerAddressEmail: Readonly<
  Record<'changed' | 'removed', Readonly<Record<Language, (username: string) => EmailTemplate>>>
> = {
  changed: {
    zh: username => ({
      subject: '账户邮箱已更改',
      lines: [`您好，账户 ${username} 绑定的邮箱已更改为其他地址，此邮箱不再用于该账户。`],
      note: NOT_YOU.zh,
    }),
    en: username => ({
      subject: 'Your account has a new email address',
      lines: [
        `Hello, the account ${username} now has another email address. This address no longer belongs to it.`,
      ],
      note: NOT_YOU.en,
    }),
  },
  removed: {
    zh: username => ({
      subject: '账户邮箱已解绑',
      lines: [`您好，此邮箱已与账户 ${username} 解绑。`],
      note: NOT_YOU.zh,
    }),
    en: username => ({
      subject: 'Your email address was removed from your account',
      lines: [`Hello, this email address was removed from the account ${username}.`],
      note: NOT_YOU.en,
    }),
  },
}

/** Tells the address that a user had before of a change, in the background. Does nothing without a former address. */
export function tellFormerAddress(
  { email, username }: Pick<UserRow, 'email' | 'username'>,
  event: keyof typeof formerAddressEmail,
  { mailer, settings, language }: Pick<ApiContext, 'mailer' | 'settings' | 'language'>,
): void {
  if (email === '') return
  const template = formerAddressEmail[event][language](username)
  mailer.sendInBackground(renderEmail(email, template, settings.current().values.SystemName))
}
