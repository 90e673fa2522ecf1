import type { Binding } from '#contract/accounts/oauth.ts'
import type { Status } from '#contract/status.ts'
import type { User } from '#contract/accounts/users.ts'

interface BindingPlace {
  readonly binding: Binding
  /** Where a user's record holds it. */
  readonly readFrom: (user: User) => string
  /** Whether this installation offers it. */
  readonly isOn: (status: Status) => boolean
}

/** Every way to sign in that can be tied to an account, in the order of the page. */
export const BINDINGS: readonly BindingPlace[] = [
  { binding: 'email', readFrom: user => user.email, isOn: () => true },
  { binding: 'wechat', readFrom: user => user.wechat_id, isOn: status => status.wechat_login },
  { binding: 'github', readFrom: user => user.github_id, isOn: status => status.github_oauth },
  { binding: 'telegram', readFrom: user => user.telegram_id, isOn: status => status.telegram_oauth },
  { binding: 'linuxdo', readFrom: user => user.linux_do_id, isOn: status => status.linuxdo_oauth },
]
