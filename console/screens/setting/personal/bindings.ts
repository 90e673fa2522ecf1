import type { Binding } from '#contract/oauth.ts'
import type { User } from '#contract/users.ts'

export type BindingField = 'email' | 'wechat_id' | 'github_id' | 'telegram_id' | 'linux_do_id'

/** Where a user's record holds each binding, in the order of the page. */
export const BINDINGS: ReadonlyArray<{
  readonly binding: Binding
  readonly field: BindingField & keyof User
}> = [
  { binding: 'email', field: 'email' },
  { binding: 'wechat', field: 'wechat_id' },
  { binding: 'github', field: 'github_id' },
  { binding: 'telegram', field: 'telegram_id' },
  { binding: 'linuxdo', field: 'linux_do_id' },
]
