import type { OptionValues } from '#contract/options/system-options.ts'
import type { IdentityColumn } from '../../db/users.ts'

/** A way to sign in through another party. */
export interface Way {
  /** For people. */
  readonly party: string
  readonly column: IdentityColumn
  /** What the names of accounts begin with that come this way. */
  readonly prefix: string
  isOn(values: OptionValues): boolean
}

export const GITHUB: Way = {
  party: 'GitHub',
  column: 'github_id',
  prefix: 'github',
  isOn: values => values.GitHubOAuthEnabled,
}
export const LINUXDO: Way = {
  party: 'Linux DO',
  column: 'linux_do_id',
  prefix: 'linuxdo',
  isOn: values => values.LinuxDOOAuthEnabled,
}
export const WECHAT: Way = {
  party: 'WeChat',
  column: 'wechat_id',
  prefix: 'wechat',
  isOn: values => values.WeChatAuthEnabled,
}
export const TELEGRAM: Way = {
  party: 'Telegram',
  column: 'telegram_id',
  prefix: 'telegram',
  isOn: values => values.TelegramOAuthEnabled,
}
