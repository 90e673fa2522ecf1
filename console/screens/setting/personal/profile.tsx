import { Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { User } from '#contract/accounts/users.ts'
import { formatNumber, useMoney } from '../../../app/money/money.tsx'
import { PrivateText } from '../../../app/preferences/privacy.tsx'
import { hasRole } from '../../../app/session/session.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { StatusBadge } from '../../../ui/data/badges.tsx'
import { StatCard } from '../../../ui/data/facts.tsx'
import { lazyPart } from '../../../ui/lazy-part.ts'
import { usePersonalText } from './text.ts'

const dialog = lazyPart(async () => (await import('./profile-dialog.tsx')).ProfileDialog)

/** Name, role and balance of the user. */
export function Profile({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const { money, exact, language } = useMoney()
  const [isEditing, setEditing] = useState(false)
  const { username, display_name: displayName, id, group } = self
  const name = displayName || username
  const isRoot = hasRole(self, 'root')
  const role = isRoot ? 'roleRoot' : hasRole(self, 'admin') && 'roleAdmin'
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <span
          aria-hidden
          className="flex size-14 shrink-0 items-center justify-center rounded-full bg-selected text-title font-semibold text-accent uppercase"
        >
          {[...name][0]}
        </span>
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="text-section font-semibold">
              <PrivateText>{name}</PrivateText>
            </span>
            <StatusBadge tone={isRoot ? 'warning' : 'neutral'} mark="none">
              {t(isRoot ? 'badgeAdmin' : 'badgeUser')}
            </StatusBadge>
          </p>
          <p className="text-small text-muted">
            <PrivateText>{username}</PrivateText>
            {[` · ID ${id}`, group, ...(role ? [t(role)] : [])].join(' · ')}
          </p>
        </div>
        <Button
          icon={Pencil}
          className="max-sm:w-full"
          onPointerEnter={dialog.preload}
          onFocus={dialog.preload}
          onClick={() => setEditing(true)}
        >
          {t('editProfile')}
        </Button>
      </div>
      <dl className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:grid-cols-3 sm:gap-3 sm:*:first:col-span-1">
        <StatCard label={t('balance')} value={money(self.quota)} hint={exact(self.quota)} />
        <StatCard label={t('used')} value={money(self.used_quota)} hint={exact(self.used_quota)} />
        <StatCard label={t('requests')} value={formatNumber(self.request_count, language)} />
      </dl>
      <Suspense fallback={null}>
        {isEditing && <dialog.Part self={self} onClose={() => setEditing(false)} />}
      </Suspense>
    </>
  )
}
