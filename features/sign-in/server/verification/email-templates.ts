import type { BothLanguages, Language } from '#server/core/language.ts'
import type { EmailTemplate } from '#server/notifications/email-template.ts'
import { CODE_MINUTES } from '../store-email-code.ts'

const IGNORE: BothLanguages = {
  zh: '如果不是您本人操作，请忽略此邮件。',
  en: 'If this was not you, ignore this email.',
}

/** Sends a code that verifies an address. */
export const verificationEmail: Readonly<Record<Language, (code: string) => EmailTemplate>> = {
  zh: code => ({
    subject: '验证您的邮箱',
    lines: ['您好，您正在验证邮箱地址，验证码为：'],
    code,
    note: `验证码 ${CODE_MINUTES} 分钟内有效。${IGNORE.zh}`,
  }),
  en: code => ({
    subject: 'Verify your email address',
    lines: ['Hello, use this code to verify your email address:'],
    code,
    note: `The code is valid for ${CODE_MINUTES} minutes. ${IGNORE.en}`,
  }),
}

/** Sent instead of a code when the address already has an account: only its owner may learn that. */
export const addressTakenEmail: Readonly<Record<Language, () => EmailTemplate>> = {
  zh: () => ({
    subject: '该邮箱已有账户',
    lines: ['您好，有人请求验证此邮箱地址，但此邮箱已绑定账户。', '您可以直接登录，或重置密码。'],
    note: IGNORE.zh,
  }),
  en: () => ({
    subject: 'This email address has an account',
    lines: [
      'Hello, someone requested a code for this email address, but it already belongs to an account.',
      'You can sign in, or reset your password.',
    ],
    note: IGNORE.en,
  }),
}

/** Sends the password reset link. */
export const passwordResetEmail: Readonly<Record<Language, (url: string) => EmailTemplate>> = {
  zh: url => ({
    subject: '重置密码',
    lines: ['您好，您正在重置密码，请点击下方链接：'],
    link: { text: '重置密码', url },
    note: `重置链接 ${CODE_MINUTES} 分钟内有效。${IGNORE.zh}`,
  }),
  en: url => ({
    subject: 'Reset your password',
    lines: ['Hello, use this link to reset your password:'],
    link: { text: 'Reset password', url },
    note: `The link is valid for ${CODE_MINUTES} minutes. ${IGNORE.en}`,
  }),
}

/** Sent by administrators to test the mail settings. */
export const testEmail: Readonly<Record<Language, () => EmailTemplate>> = {
  zh: () => ({ subject: '测试邮件', lines: ['您好，这是一封测试邮件。收到此邮件说明邮件设置正确。'] }),
  en: () => ({
    subject: 'Test email',
    lines: ['Hello, this is a test email. If you can read it, the email settings work.'],
  }),
}
