import { formatNumber } from '../../app/money.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { useNeighbours } from '../../app/neighbours.ts'
import { useUser } from '../../app/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { SheetSection } from '../../ui/sheet-section.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { Bindings } from './bindings.tsx'
import { usePlace } from './place.ts'
import type { UserSheetProps } from './sheet-props.ts'
import { isGone } from './standing.ts'
import { text } from './text.ts'
import { InvitationsCell, NameCell, RoleCell, StandingCell } from './user-cells.tsx'

/** A user whom the reader may see but not change. */
export function UserFacts({ user, rows }: UserSheetProps) {
  const t = useText(text)
  const language = useLanguage()
  const place = usePlace()
  const self = useUser()
  const neighbours = useNeighbours(rows, user.id, place.turnTo)
  return (
    <Sheet
      title={`${t('viewTitle')} #${user.id}`}
      status={<StandingCell user={user} />}
      neighbours={neighbours}
      onClose={() => place.close()}
    >
      <SheetSection title={t('sectionAccount')}>
        <Banner tone="info">
          {t(isGone(user) ? 'viewGone' : self?.id === user.id ? 'viewSelf' : 'viewRank')}
        </Banner>
        <KeyValues
          items={[
            { label: t('username'), value: <NameCell user={user} /> },
            { label: t('group'), value: user.group },
            { label: t('role'), value: <RoleCell user={user} /> },
            { label: t('balance'), value: <MoneyText quota={user.quota} /> },
            { label: t('used'), value: <MoneyText quota={user.used_quota} /> },
            { label: t('requests'), value: formatNumber(user.request_count, language) },
            { label: t('invitations'), value: <InvitationsCell user={user} /> },
          ]}
        />
      </SheetSection>
      <SheetSection title={t('sectionBindings')}>
        <Bindings user={user} />
      </SheetSection>
    </Sheet>
  )
}
