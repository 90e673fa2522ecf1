import type { User } from '#contract/accounts/users.ts'
import { PrivateText } from '../../app/preferences/privacy.tsx'
import { KeyValues } from '../../ui/data/facts.tsx'
import { useScreenText } from './text.ts'

const IDENTITY_PROVIDERS = [
  ['email', 'email'],
  ['github', 'github_id'],
  ['linuxdo', 'linux_do_id'],
  ['wechat', 'wechat_id'],
  ['telegram', 'telegram_id'],
] as const

/** The external accounts bound to a user. Read-only: only the user can change them. */
export function Bindings({ user }: { readonly user: User }) {
  const t = useScreenText()
  return (
    <KeyValues
      items={IDENTITY_PROVIDERS.map(([provider, field]) => ({
        label: t(provider),
        value: user[field] ? (
          <PrivateText>{user[field]}</PrivateText>
        ) : (
          <span className="text-subtle">{t('notBound')}</span>
        ),
      }))}
    />
  )
}
