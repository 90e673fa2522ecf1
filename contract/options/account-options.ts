import { address, commaList, flag, inSection, link, oneOf, secret, text } from './define-option.ts'
import { SECTIONS } from './sections.ts'

const MAIL_DOMAINS =
  'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com'

export const accountOptions = {
  ...inSection(SECTIONS.signIn, {
    PasswordLoginEnabled: flag(true, { label: { zh: '允许通过密码登录', en: 'Sign in with a password' } }),
    PasswordRegisterEnabled: flag(true, { label: { zh: '允许通过密码注册', en: 'Sign up with a password' } }),
    EmailVerificationEnabled: flag(false, {
      label: { zh: '通过密码注册时需要验证邮箱', en: 'Verify the email address for sign-up with a password' },
    }),
    GitHubOAuthEnabled: flag(false, {
      label: { zh: '允许通过 GitHub 账户登录和注册', en: 'Sign in with GitHub' },
    }),
    LinuxDOOAuthEnabled: flag(false, {
      label: { zh: '允许通过 LINUX DO 账户登录和注册', en: 'Sign in with LINUX DO' },
    }),
    WeChatAuthEnabled: flag(false, { label: { zh: '允许通过微信登录和注册', en: 'Sign in with WeChat' } }),
    TelegramOAuthEnabled: flag(false, {
      label: { zh: '允许通过 Telegram 登录', en: 'Sign in with Telegram' },
    }),
    TurnstileCheckEnabled: flag(false, {
      label: { zh: '启用 Turnstile 人机验证', en: 'Turnstile CAPTCHA' },
    }),
    RegisterEnabled: flag(true, {
      label: { zh: '允许新用户注册', en: 'Allow new users to sign up' },
      help: {
        zh: '关闭后新用户将无法以任何方式注册。',
        en: 'When turned off, nobody can sign up in any way.',
      },
    }),
    SecondFactorRequired: oneOf(
      {
        none: { zh: '不要求', en: 'Nobody' },
        admins: { zh: '管理员', en: 'Administrators' },
        everybody: { zh: '所有用户', en: 'Everybody' },
      },
      'none',
      {
        label: { zh: '必须使用两步验证', en: 'Who needs a second factor' },
        help: {
          zh: '尚未设置的用户在设置通行密钥或验证器之前无法进行其他操作。访问令牌不受影响。',
          en: 'Those without one can do nothing else until they add a passkey or an authenticator app. Access tokens go on.',
        },
      },
    ),
  }),
  ...inSection(SECTIONS.emailRules, {
    EmailDomainRestrictionEnabled: flag(false, {
      label: { zh: '启用邮箱域名白名单', en: 'Restrict email domains' },
    }),
    EmailAliasRestrictionEnabled: flag(false, {
      label: { zh: '启用邮箱别名限制', en: 'Reject email aliases' },
      help: {
        zh: '例如 ab.cd@gmail.com、ab+cd@gmail.com 将被拒绝。',
        en: 'Rejects, for example, ab.cd@gmail.com and ab+cd@gmail.com.',
      },
    }),
    EmailDomainWhitelist: commaList(MAIL_DOMAINS, {
      label: { zh: '允许的邮箱域名', en: 'Allowed email domains' },
      help: {
        zh: '输入后按回车添加，可以粘贴用逗号分隔的列表。',
        en: 'Press Enter to add a domain, or paste a comma-separated list.',
      },
    }),
  }),
  ...inSection(SECTIONS.github, {
    GitHubClientId: text('', { label: { zh: 'GitHub Client ID', en: 'GitHub client ID' } }),
    GitHubClientSecret: secret({ label: { zh: 'GitHub Client Secret', en: 'GitHub client secret' } }),
  }),
  ...inSection(SECTIONS.linuxdo, {
    LinuxDOClientId: text('', { label: { zh: 'LINUX DO Client ID', en: 'LINUX DO client ID' } }),
    LinuxDOClientSecret: secret({ label: { zh: 'LINUX DO Client Secret', en: 'LINUX DO client secret' } }),
  }),
  ...inSection(SECTIONS.wechat, {
    WeChatServerAddress: address('', {
      label: { zh: 'WeChat Server 服务器地址', en: 'WeChat Server address' },
      needs: 'recent-sign-in',
    }),
    WeChatServerToken: secret({ label: { zh: 'WeChat Server 访问凭证', en: 'WeChat Server token' } }),
    WeChatAccountQRCodeImageURL: link('', {
      label: { zh: '微信公众号二维码图片链接', en: 'QR code image URL' },
    }),
  }),
  ...inSection(SECTIONS.telegram, {
    TelegramBotToken: secret({
      label: { zh: 'Telegram Bot Token', en: 'Telegram bot token' },
      needs: 'recent-sign-in',
    }),
    TelegramBotName: text('', { label: { zh: 'Telegram Bot 名称', en: 'Telegram bot name' } }),
  }),
  ...inSection(SECTIONS.turnstile, {
    TurnstileSiteKey: text('', { label: { zh: 'Turnstile Site Key', en: 'Turnstile site key' } }),
    TurnstileSecretKey: secret({ label: { zh: 'Turnstile Secret Key', en: 'Turnstile secret key' } }),
  }),
}
