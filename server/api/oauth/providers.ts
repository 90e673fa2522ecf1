import type { OptionValues } from '#contract/options/system-options.ts'
import type { IdentityColumn } from '../../db/accounts/users.ts'
import type { ApiContext } from '../context.ts'
import { oauthError } from './errors.ts'

/** A way to sign in through another party. */
export interface OauthProvider {
  /** For people. */
  readonly displayName: string
  readonly column: IdentityColumn
  /** What the names of accounts begin with that come this way. */
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

/** The options as they stand, unless they turn this way off. */
export function requireEnabled(way: OauthProvider, { settings }: Pick<ApiContext, 'settings'>): OptionValues {
  const { values } = settings.current()
  if (!way.isEnabled(values)) throw oauthError('off', { party: way.displayName })
  return values
}
