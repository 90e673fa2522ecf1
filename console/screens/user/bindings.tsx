import type { User } from '#contract/users.ts'
import { PrivateText } from '../../app/private-text.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'

const PARTIES = [
  ['email', 'email'],
  ['github', 'github_id'],
  ['linuxdo', 'linux_do_id'],
  ['wechat', 'wechat_id'],
  ['telegram', 'telegram_id'],
] as const

/** The accounts that a user signs in with. Only the user changes them. */
export function Bindings({ user }: { readonly user: User }) {
  const t = useText(text)
  return (
    <KeyValues
      items={PARTIES.map(([party, field]) => ({
        label: t(party),
        value: user[field] ? (
          <PrivateText>{user[field]}</PrivateText>
        ) : (
          <span className="text-subtle">{t('notBound')}</span>
        ),
      }))}
    />
  )
}
