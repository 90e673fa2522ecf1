import { address, commaList, figures, flag, integer, link, secret, text } from './define-option.ts'

const MAIL_DOMAINS =
  'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com'

export const accountOptions = {
  PasswordLoginEnabled: flag(
    true,
    'system',
    'enables sign-in with a password; super administrators can always sign in',
  ),
  PasswordRegisterEnabled: flag(true, 'system', 'enables registration with a password'),
  RegisterEnabled: flag(true, 'system', 'enables registration; administrators can always create accounts'),
  EmailVerificationEnabled: flag(false, 'system', 'requires a verified email address to register'),
  EmailDomainRestrictionEnabled: flag(
    false,
    'system',
    'sends codes only to the domains in EmailDomainWhitelist',
  ),
  EmailDomainWhitelist: commaList(MAIL_DOMAINS, 'system', 'allowed email domains'),
  EmailAliasRestrictionEnabled: flag(
    false,
    'system',
    'rejects addresses with a plus sign or a dot before the @',
  ),
  GitHubOAuthEnabled: flag(false, 'system', 'enables sign-in with GitHub'),
  GitHubClientId: text('', 'system', 'GitHub client id'),
  GitHubClientSecret: secret('system', 'GitHub client secret'),
  LinuxDOOAuthEnabled: flag(false, 'system', 'enables sign-in with Linux DO'),
  LinuxDOClientId: text('', 'system', 'Linux DO client id'),
  LinuxDOClientSecret: secret('system', 'Linux DO client secret'),
  WeChatAuthEnabled: flag(false, 'system', 'enables sign-in with WeChat'),
  WeChatServerAddress: address('', 'system', 'address of the WeChat server'),
  WeChatServerToken: secret('system', 'Authorization header for the WeChat server'),
  WeChatAccountQRCodeImageURL: link('', 'system', 'address of the QR code to scan'),
  TelegramOAuthEnabled: flag(false, 'system', 'enables sign-in with Telegram'),
  TelegramBotName: text('', 'system', 'Telegram bot of the login widget'),
  TelegramBotToken: secret('system', 'Telegram bot token, which verifies the login widget'),
  TurnstileCheckEnabled: flag(
    false,
    'system',
    'requires a Turnstile captcha for sign-in, registration and emails',
  ),
  TurnstileSiteKey: text('', 'system', 'Turnstile site key'),
  CallBudgetPerMinute: integer(
    3600,
    [60, 1_000_000],
    'system',
    'points that the management calls of a user may cost at once, and again within a minute',
  ),
  VisitorCallBudgetPerMinute: integer(
    600,
    [60, 1_000_000],
    'system',
    'the same for all visitors of a network together',
  ),
  MetricsOpenEnabled: flag(false, 'system', 'serves /metrics without an access token'),
  CallBudgetFactors: figures({}, 'system', 'multiples of that budget for users who need more, by user name'),
  TurnstileSecretKey: secret('system', 'Turnstile secret key'),
} as const
