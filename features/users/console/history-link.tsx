import { ScreenLink } from '#console/app/list/record-link.tsx'
import { canOpenScreen } from '#console/app/router/screens.ts'
import { useUser } from '#console/app/session/session.ts'

interface HistoryLinkProps {
  /** As the audit log calls it. */
  readonly kind: string
  readonly id: number
  readonly children: string
}

/** Leads to what the audit log has of a record; nothing for those who may not open it. For sheets, which load late. */
export function HistoryLink({ kind, id, children }: HistoryLinkProps) {
  if (!canOpenScreen('/audit', useUser())) return null
  const search = { kind, target: String(id), range: '30d' }
  return (
    <ScreenLink screen="/audit" search={search} className="text-small text-accent">
      {children}
    </ScreenLink>
  )
}
