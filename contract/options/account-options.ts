import { address, commaList, flag, link, secret, text } from './define-option.ts'

const MAIL_DOMAINS =
  'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com'

export const accountOptions = {
  PasswordLoginEnabled: flag(
    true,
    'system',
    'signing in with a password; the super administrator always may',
  ),
  PasswordRegisterEnabled: flag(true, 'system', 'registering with a password'),
  RegisterEnabled: flag(true, 'system', 'new accounts of any kind, except those that administrators make'),
  EmailVerificationEnabled: flag(
    false,
    'system',
    'registering needs an e-mail address and the code sent to it',
  ),
  EmailDomainRestrictionEnabled: flag(false, 'system', 'codes go only to the domains of the whitelist'),
  EmailDomainWhitelist: commaList(MAIL_DOMAINS, 'system', 'domains that codes may go to'),
  EmailAliasRestrictionEnabled: flag(false, 'system', 'no plus sign and no dot before the @'),
  GitHubOAuthEnabled: flag(false, 'system', 'signing in with GitHub'),
  GitHubClientId: text('', 'system', 'the client id at GitHub'),
  GitHubClientSecret: secret('system', 'the client secret at GitHub'),
  LinuxDOOAuthEnabled: flag(false, 'system', 'signing in with Linux DO'),
  LinuxDOClientId: text('', 'system', 'the client id at Linux DO'),
  LinuxDOClientSecret: secret('system', 'the client secret at Linux DO'),
  WeChatAuthEnabled: flag(false, 'system', 'signing in with WeChat'),
  WeChatServerAddress: address('', 'system', 'address of the WeChat server'),
  WeChatServerToken: secret('system', 'what the WeChat server wants to see in Authorization'),
  WeChatAccountQRCodeImageURL: link('', 'system', 'the picture to scan'),
  TelegramOAuthEnabled: flag(false, 'system', 'signing in with Telegram'),
  TelegramBotName: text('', 'system', 'the bot that the sign-in widget names'),
  TelegramBotToken: secret('system', 'the key that proves what the widget says'),
  TurnstileCheckEnabled: flag(false, 'system', 'a human check before sign-in, registration and mail'),
  TurnstileSiteKey: text('', 'system', 'the public key of the human check'),
  TurnstileSecretKey: secret('system', 'the secret key of the human check'),
} as const
