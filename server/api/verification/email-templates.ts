import type { BothLanguages, Language } from '../../core/language.ts'
import type { EmailTemplate } from '../../integrations/email-template.ts'
import { CODE_MINUTES } from '../email-codes.ts'

const IGNORE: BothLanguages = {
  zh: '如果不是您本人操作，请忽略此邮件。',
  en: 'If this was not you, ignore this email.',
}

/** Sends a code that verifies an address. */
export const verificationEmail: Readonly<Record<Language, (code: string) => EmailTemplate>> = {
  zh: code => ({
    subject: '邮箱验证邮件',
    lines: ['您好，您正在进行邮箱验证。您的验证码为：'],
    code,
    note: `验证码 ${CODE_MINUTES} 分钟内有效。${IGNORE.zh}`,
  }),
  en: code => ({
    subject: 'verify your email address',
    lines: ['Hello, this is the code that proves your email address:'],
    code,
    note: `The code is good for ${CODE_MINUTES} minutes. ${IGNORE.en}`,
  }),
}

/** Sent instead of a code when the address already has an account: only its owner may learn that. */
export const addressTakenEmail: Readonly<Record<Language, () => EmailTemplate>> = {
  zh: () => ({
    subject: '该邮箱已有账户',
    lines: ['您好，有人请求验证此邮箱地址，但它已经属于一个账户。', '您可以直接登录，或重置密码。'],
    note: IGNORE.zh,
  }),
  en: () => ({
    subject: 'this address has an account',
    lines: [
      'Hello, somebody asked for a code for this email address, but it belongs to an account already.',
      'You can sign in, or reset the password.',
    ],
    note: IGNORE.en,
  }),
}

/** Sends the password reset link. */
export const passwordResetEmail: Readonly<Record<Language, (url: string) => EmailTemplate>> = {
  zh: url => ({
    subject: '密码重置',
    lines: ['您好，您正在进行密码重置。请点击下方链接：'],
    link: { text: '重置密码', url },
    note: `重置链接 ${CODE_MINUTES} 分钟内有效。${IGNORE.zh}`,
  }),
  en: url => ({
    subject: 'reset your password',
    lines: ['Hello, follow the link for a new password:'],
    link: { text: 'Reset the password', url },
    note: `The link is good for ${CODE_MINUTES} minutes. ${IGNORE.en}`,
  }),
}

/** Sent by administrators to test the mail settings. */
export const testEmail: Readonly<Record<Language, () => EmailTemplate>> = {
  zh: () => ({ subject: '测试邮件', lines: ['您好，这是一封测试邮件。收到它说明邮件设置正确。'] }),
  en: () => ({
    subject: 'a mail to try the settings',
    lines: ['Hello, this mail tries the mail settings. That you read it shows that they are right.'],
  }),
}
