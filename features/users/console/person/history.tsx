import { useQuery } from '@tanstack/react-query'
import { TimeText } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { User } from '#contract/entities/user.ts'
import { actionName } from '#features/audit-log/contract/action-names.ts'
import { historyQuery } from './queries.ts'
import { Loaded, Rows } from './section.tsx'
import { usePersonText } from './text.ts'

interface HistoryProps {
  readonly user: User
  /** What was changed of the user, or what the user has changed. */
  readonly whose: 'of' | 'by'
}

/** The newest entries of the audit log. Each leads to its details there. */
export function HistoryOf({ user: { id }, whose }: HistoryProps) {
  const t = usePersonText()
  const language = useLanguage()
  const query = useQuery(historyQuery(id, whose))
  const filter: Record<string, string> =
    whose === 'of' ? { kind: 'user', target: String(id) } : { actor: String(id) }
  return (
    <Loaded query={query}>
      {entries => (
        <Rows rows={entries} empty={t('noHistory')} idOf={entry => entry.id}>
          {({ id: entry, created_at, actor_name, action, address, before, after }) => {
            const fields = new Set([before, after].flatMap(records => Object.keys(Object(records[id]))))
            return (
              <div className="grid min-w-0 flex-1 gap-0.5">
                <ScreenLink
                  screen="/audit"
                  search={{ ...filter, range: '30d', row: String(entry) }}
                  className="truncate"
                  title={action}
                >
                  {[actionName(action, language), ...(whose === 'of' ? fields : [])].join(' · ')}
                </ScreenLink>
                <span className="text-small text-muted">
                  <TimeText unixSeconds={created_at} /> {actor_name}{' '}
                  {address !== '' && t('from', { address })}
                </span>
              </div>
            )
          }}
        </Rows>
      )}
    </Loaded>
  )
}
