import { History, SearchX } from 'lucide-react'
import { TimeText } from '#console/app/format/format.tsx'
import { usePreviousNext } from '#console/app/list/previous-next.ts'
import { ChannelLink, UserLink } from '#console/app/list/record-link.tsx'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { actionName } from '../contract/action-names.ts'
import type { AuditRow } from '../contract/audit-log.ts'
import { ActorCell, credentialText, ResultCell, targetText } from './columns.tsx'
import { type Effect, type FieldChange, type RecordChange, recordChanges } from './record-changes.ts'
import { useScreenText } from './text.ts'

/** A call may have changed a thousand records: more than anybody reads here. */
const RECORDS_SHOWN = 50

type OpenHistory = (kind: string, target: string) => void

interface AuditSheetProps {
  readonly id: string
  /** Undefined while the page loads. */
  readonly rows: readonly AuditRow[] | undefined
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
  readonly onHistory: OpenHistory
}

/** One row: who, from where, with what, and every changed field before and after. */
export function AuditSheet({ id, rows, onOpen, onClose, onHistory }: AuditSheetProps) {
  const t = useScreenText()
  const row = rows?.find(candidate => String(candidate.id) === id)
  const previousNext = usePreviousNext(rows ?? [], Number(id), onOpen)
  return (
    <Sheet
      isNonModal
      title={t('entry', { id })}
      status={row && <ResultCell row={row} />}
      previousNext={previousNext}
      onClose={onClose}
    >
      {row ? (
        <Entry row={row} onHistory={onHistory} />
      ) : rows ? (
        <EmptyState icon={SearchX} title={t('notListed')} text={t('notListedText')} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Sheet>
  )
}

function Entry({ row, onHistory }: { readonly row: AuditRow; readonly onHistory: OpenHistory }) {
  const t = useScreenText()
  const language = useLanguage()
  const changes = recordChanges(row)
  const sent = JSON.stringify(row.input, null, 2)
  const hidden = changes.length - RECORDS_SHOWN
  return (
    <div className="grid gap-6">
      <KeyValues
        items={[
          { label: t('time'), value: <TimeText unixSeconds={row.created_at} /> },
          { label: t('who'), value: <ActorCell row={row} /> },
          { label: t('credential'), value: credentialText(row, t) },
          { label: t('address'), value: row.address },
          { label: t('requestOf'), value: actionName(row.action, language) },
          { label: t('call'), value: <code className="font-mono text-caption">{row.action}</code> },
          {
            label: t('requestId'),
            value: (
              <span className="flex items-center gap-1">
                <code className="min-w-0 font-mono text-caption break-all">{row.request_id}</code>
                <CopyButton text={row.request_id} label={t('copyRequestId')} />
              </span>
            ),
          },
        ]}
      />
      <section aria-label={t('changes')} className="grid gap-4">
        <h3 className="font-semibold">{t('changes')}</h3>
        {row.count !== undefined && <p className="text-muted">{t('matched', { count: row.count })}</p>}
        {changes.length === 0 && <p className="text-muted">{t('noRecord')}</p>}
        {changes.slice(0, RECORDS_SHOWN).map(change => (
          <Change key={change.target} kind={row.kind} change={change} onHistory={onHistory} />
        ))}
        {hidden > 0 && <p className="text-muted">{t('moreRecords', { count: hidden })}</p>}
      </section>
      <section aria-label={t('sent')} className="grid gap-2">
        <div className="flex items-center gap-2">
          <h3 className="font-semibold">{t('sent')}</h3>
          <span className="flex-1 text-small text-muted">{t('sentText')}</span>
          <CopyButton text={sent} label={t('copySent')} />
        </div>
        <pre className="rounded-card border border-line bg-sunken p-3 font-mono text-caption leading-5 break-all whitespace-pre-wrap">
          {sent}
        </pre>
      </section>
    </div>
  )
}

const TONES = { created: 'success', changed: 'info', deleted: 'danger' } as const satisfies Record<
  Effect,
  string
>

interface ChangeProps {
  readonly kind: string
  readonly change: RecordChange
  readonly onHistory: OpenHistory
}

function Change({ kind, change: { target, effect, fields }, onHistory }: ChangeProps) {
  const t = useScreenText()
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <TargetLink kind={kind} target={target} />
        <StatusBadge tone={TONES[effect]} mark="none">
          {t(effect)}
        </StatusBadge>
        <Button
          size="small"
          variant="ghost"
          icon={History}
          className="ml-auto"
          onClick={() => onHistory(kind, target)}
        >
          {t('history')}
        </Button>
      </div>
      <FieldTable name={targetText(kind, target, t)} fields={fields} />
    </div>
  )
}

function TargetLink({ kind, target }: Pick<ChangeProps, 'kind'> & { readonly target: string }) {
  const t = useScreenText()
  const name = targetText(kind, target, t)
  if (kind === 'channel') return <ChannelLink id={Number(target)}>{name}</ChannelLink>
  if (kind === 'user') return <UserLink id={Number(target)}>{name}</UserLink>
  return <span className="font-medium break-all">{name}</span>
}

const CELL = 'border-t border-line px-2 py-1.5 text-left align-top break-all'

function FieldTable({ name, fields }: { readonly name: string; readonly fields: readonly FieldChange[] }) {
  const t = useScreenText()
  const hasFields = fields.some(({ field }) => field !== '')
  return (
    <table className="w-full table-fixed text-small">
      <caption className="sr-only">{name}</caption>
      <thead className="text-caption text-muted">
        <tr>
          {[...(hasFields ? [t('field')] : []), t('before'), t('after')].map(header => (
            <th key={header} scope="col" className="px-2 py-1 text-left font-normal">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, before, after }) => (
          <tr key={field}>
            {hasFields && (
              <th scope="row" className={`${CELL} font-mono text-caption font-normal`}>
                {field}
              </th>
            )}
            <td className={`${CELL} text-muted`}>{before ?? t('nothing')}</td>
            <td className={CELL}>{after ?? t('nothing')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
