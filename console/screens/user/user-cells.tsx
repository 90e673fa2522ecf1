import { Link } from '@tanstack/react-router'
import type { User } from '#contract/users.ts'
import { formatNumber } from '../../app/money.ts'
import { PrivateText } from '../../app/private-text.tsx'
import { useUser } from '../../app/session.ts'
import { useMoney } from '../../app/use-money.ts'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { type RoleName, roleOf, type Standing, standingOf } from './standing.ts'
import { text } from './text.ts'

const STANDING_BADGES: Readonly<Record<Standing, readonly [Tone, BadgeMark]>> = {
  enabled: ['success', 'filled'],
  banned: ['danger', 'cross'],
  deregistered: ['neutral', 'hollow'],
  unknown: ['unknown', 'none'],
}

const ROLE_TONES: Readonly<Record<RoleName, Tone>> = {
  roleUser: 'neutral',
  roleAdmin: 'info',
  roleRoot: 'warning',
  roleUnknown: 'unknown',
}

interface UserProps {
  readonly user: User
}

/** The name opens the sheet; the display name stands below where it differs. */
export function NameCell({ user }: UserProps) {
  const t = useText(text)
  const self = useUser()
  const { id, username, display_name: displayName } = user
  const hasOtherName = displayName !== '' && displayName !== username
  return (
    <span className="grid max-w-56 min-w-32">
      <span className="flex min-w-0 items-baseline gap-1.5">
        <Link
          to={`/user/edit/${id}`}
          search={(before: object) => before}
          className="min-w-0 truncate touch-line rounded-control font-medium hover:text-accent hover:underline underline-offset-2"
        >
          <PrivateText>{username}</PrivateText>
        </Link>
        {self?.id === id && <span className="shrink-0 text-caption text-subtle">{t('you')}</span>}
      </span>
      {hasOtherName && (
        <span className="truncate text-caption text-muted">
          <PrivateText>{displayName}</PrivateText>
        </span>
      )}
    </span>
  )
}

export function RoleCell({ user }: UserProps) {
  const t = useText(text)
  const role = roleOf(user)
  return (
    <StatusBadge tone={ROLE_TONES[role]} mark="none">
      {t(role, { role: user.role })}
    </StatusBadge>
  )
}

export function StandingCell({ user }: UserProps) {
  const t = useText(text)
  const standing = standingOf(user)
  const [tone, mark] = STANDING_BADGES[standing]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(standing)}
    </StatusBadge>
  )
}

/** Whom a user brought, what that earned, and who brought the user; what did not happen is not listed. */
export function InvitationsCell({ user }: UserProps) {
  const t = useText(text)
  const language = useLanguage()
  const { money } = useMoney()
  const { aff_count: count, aff_history_quota: earned, inviter_id: inviter } = user
  if (count === 0 && earned === 0 && inviter === 0) return <span className="text-subtle">-</span>
  return (
    <span className="grid text-caption text-muted tabular">
      {(count > 0 || earned !== 0) && (
        <span className="whitespace-nowrap">
          {`${t('invited', { count: formatNumber(count, language) })} · ${t('earned', { amount: money(earned) })}`}
        </span>
      )}
      {inviter !== 0 && (
        <Link
          to={`/user/edit/${inviter}`}
          search={(before: object) => before}
          aria-label={t('openInviter', { id: inviter })}
          className="justify-self-start rounded-control text-accent hover:underline underline-offset-2"
        >
          {t('invitedBy', { id: inviter })}
        </Link>
      )}
    </span>
  )
}
