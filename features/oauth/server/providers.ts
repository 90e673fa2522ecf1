import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { IdentityColumn } from '#server/db/accounts/users.ts'
import { oauthError } from './errors.ts'

/** An identity provider that users can sign in with. */
export interface OauthProvider {
  /** Shown in messages and as the default display name. */
  readonly displayName: string
  readonly column: IdentityColumn
  /** Prefix of the user names that are generated for new accounts. */
  readonly usernamePrefix: string
  isEnabled(values: OptionValues): boolean
}

export const GITHUB: OauthProvider = {
  displayName: 'GitHub',
  column: 'github_id',
  usernamePrefix: 'github',
  isEnabled: values => values.GitHubOAuthEnabled,
}
export const LINUXDO: OauthProvider = {
  displayName: 'Linux DO',
  column: 'linux_do_id',
  usernamePrefix: 'linuxdo',
  isEnabled: values => values.LinuxDOOAuthEnabled,
}
export const WECHAT: OauthProvider = {
  displayName: 'WeChat',
  column: 'wechat_id',
  usernamePrefix: 'wechat',
  isEnabled: values => values.WeChatAuthEnabled,
}
export const TELEGRAM: OauthProvider = {
  displayName: 'Telegram',
  column: 'telegram_id',
  usernamePrefix: 'telegram',
  isEnabled: values => values.TelegramOAuthEnabled,
}

/** Returns the current options. Throws `oauth.off` when they disable the provider. */
export function requireEnabled(
  provider: OauthProvider,
  { settings }: Pick<ApiContext, 'settings'>,
): OptionValues {
  const { values } = settings.current()
  if (!provider.isEnabled(values)) throw oauthError('off', { provider: provider.displayName })
  return values
}
