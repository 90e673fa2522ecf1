import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { TimeText } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { actionName } from '../contract/action-names.ts'
import type { AuditRow } from '../contract/audit-log.ts'
import { ActorCell, ChangeText } from './columns.tsx'
import { auditRowsQuery } from './queries.ts'
import { recordChanges } from './record-changes.ts'
import { NO_FILTERS } from './search-params.ts'
import { useScreenText } from './text.ts'

const ROWS_SHOWN = 5
const ALWAYS = { start_timestamp: 0, end_timestamp: 0 }

interface RecordProps {
  readonly id: number
}

const historyOf = (kind: string) => (props: RecordProps) => <RecordHistory kind={kind} {...props} />

/** By the kind of the record whose sheet is open. */
export const HISTORIES = {
  token: historyOf('token'),
  user: historyOf('user'),
  channel: historyOf('channel'),
  redemption: historyOf('redemption'),
}

interface RecordHistoryProps extends RecordProps {
  readonly kind: string
}

/** Who changed a record last, and how. */
function RecordHistory({ kind, id }: RecordHistoryProps) {
  const t = useScreenText()
  const target = String(id)
  const filter = { ...NO_FILTERS, ...ALWAYS, kind, target }
  const { data, error, isFetching, refetch } = useQuery(auditRowsQuery(filter, 1, ROWS_SHOWN))
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-16 w-full" />
  if (data.rows.length === 0) return <p className="text-muted">{t('neverChanged')}</p>
  return (
    <>
      <ul className="divide-y divide-line">
        {data.rows.map(row => (
          <HistoryEntry key={row.id} row={row} search={{ kind, target, row: String(row.id) }} />
        ))}
      </ul>
      {data.total > data.rows.length && (
        <ScreenLink screen="/audit" search={{ kind, target }} className="text-small text-accent">
          {t('wholeHistory', { count: data.total })}
        </ScreenLink>
      )}
    </>
  )
}

interface HistoryEntryProps {
  readonly row: AuditRow
  /** The entry in the audit log. */
  readonly search: Readonly<Record<string, string>>
}

function HistoryEntry({ row, search }: HistoryEntryProps) {
  const language = useLanguage()
  return (
    <li className="grid gap-0.5 py-2">
      <ScreenLink screen="/audit" search={search} className="justify-self-start text-accent">
        {actionName(row.action, language)}
      </ScreenLink>
      {recordChanges(row).some(({ effect }) => effect === 'changed') && <ChangeText row={row} />}
      <span className="flex flex-wrap gap-x-3 text-small text-muted">
        <TimeText unixSeconds={row.created_at} />
        <ActorCell row={row} />
      </span>
    </li>
  )
}
