import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import type { User } from '#contract/entities/user.ts'
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
