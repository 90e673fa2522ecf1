import { ScreenLink } from '#console/app/list/record-link.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import type { Row } from '../entry.ts'
import { type Reader, remediesFor } from './remedy.ts'
import { useSheetText } from './text.ts'

/** Links to what lets the next request of this kind succeed, as far as the reader may change it. */
export function Remedies({ row }: { readonly row: Row }) {
  const t = useSheetText()
  const user = useUser()
  const reader: Reader = {
    isAdmin: hasRole(user, 'admin'),
    isRoot: hasRole(user, 'root'),
    isOwner: user?.id === row.entry.user_id,
  }
  const remedies = remediesFor(row, reader)
  if (remedies.length === 0) return null
  return (
    <ul aria-label={t('remedies')} className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
      {remedies.map(({ textKey, ...target }) => (
        <li key={textKey}>
          <ScreenLink {...target} className="font-medium underline">
            {t(textKey)}
          </ScreenLink>
        </li>
      ))}
    </ul>
  )
}
