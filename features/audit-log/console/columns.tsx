import { useMemo } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { RecordLink, UserLink } from '#console/app/list/record-link.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { actionName } from '../contract/action-names.ts'
import type { AuditRow } from '../contract/audit-log.ts'
import { type RecordChange, recordChanges } from './record-changes.ts'
import { AuditSearch } from './search-params.ts'
import { kindText, type ScreenTranslate, useScreenText } from './text.ts'

export function useAuditColumns(): ReadonlyArray<Column<AuditRow>> {
  const t = useScreenText()
  return useMemo(() => auditColumns(t), [t])
}

const auditColumns = (t: ScreenTranslate): ReadonlyArray<Column<AuditRow>> => [
  { id: 'time', header: t('time'), isFixed: true, cell: row => <RowLink row={row} /> },
  { id: 'who', header: t('who'), cell: row => <ActorCell row={row} /> },
  { id: 'what', header: t('what'), cell: row => recordText(row, t) },
  { id: 'change', header: t('change'), cell: row => <ChangeText row={row} /> },
  { id: 'action', header: t('requestOf'), cell: row => <ActionCell row={row} /> },
  { id: 'result', header: t('result'), width: STATUS_WIDTH, cell: row => <ResultCell row={row} /> },
  { id: 'credential', header: t('credential'), cell: row => credentialText(row, t) },
  { id: 'address', header: t('address'), cell: row => row.address },
  {
    id: 'requestId',
    header: t('requestId'),
    isExtra: true,
    cell: row => <code className="font-mono text-caption">{row.request_id}</code>,
  },
]

/** One row as a card, for narrow screens. */
export function useAuditCard(): RowCard<AuditRow> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: row => <RowLink row={row} />,
      subtitle: row => <ActionCell row={row} />,
      status: row => <ResultCell row={row} />,
      facts: row => [
        { label: t('who'), value: <ActorCell row={row} /> },
        { label: t('what'), value: recordText(row, t) },
        { label: t('change'), value: <ChangeText row={row} /> },
      ],
    }),
    [t],
  )
}

interface RowProps {
  readonly row: AuditRow
}

const RowLink = ({ row: { id, created_at } }: RowProps) => {
  const t = useScreenText()
  return (
    <RecordLink name={t('openRow', { id })} schema={AuditSearch} open={{ row: String(id) }}>
      <TimeText unixSeconds={created_at} />
    </RecordLink>
  )
}

const ActionCell = ({ row: { action } }: RowProps) => {
  const language = useLanguage()
  return <span title={action}>{actionName(action, language)}</span>
}

export function ActorCell({ row }: RowProps) {
  const t = useScreenText()
  const { actor_id: id, actor_name: name } = row
  if (id === 0) return actorText(row, t)
  return (
    <UserLink id={id} title={`#${id}`} className="text-accent">
      {name}
    </UserLink>
  )
}

export function actorText(
  { actor_id: id, actor_name: name, credential, organization }: AuditRow,
  t: ScreenTranslate,
) {
  const person = name || `#${id}`
  if (name !== '' || id !== 0) return organization ? `${person} · ${organization}` : person
  if (credential === 'job') return t('job')
  return t(credential === 'command' ? 'commandLine' : 'visitor')
}

/** With what, and the name of an access token that has one. */
export const credentialText = ({ credential, access_token: name }: AuditRow, t: ScreenTranslate): string =>
  name === undefined ? t(credential) : `${t(credential)} · ${name}`

export function ResultCell({ row: { code } }: RowProps) {
  const t = useScreenText()
  return code === '' ? (
    <StatusBadge tone="success">{t('succeeded')}</StatusBadge>
  ) : (
    <StatusBadge tone="danger" mark="cross">
      {code}
    </StatusBadge>
  )
}

const IDS = /^\d+$/
export const targetText = (kind: string, target: string, t: ScreenTranslate): string =>
  kindText(kind, t) + (IDS.test(target) ? ` #${target}` : ` ${target}`)

function recordText(row: AuditRow, t: ScreenTranslate): string {
  const changes = recordChanges(row)
  const [only] = changes
  if (!only) return row.kind === '' ? '' : kindText(row.kind, t)
  if (changes.length === 1) return targetText(row.kind, only.target, t)
  return `${kindText(row.kind, t)} · ${t('records', { count: row.count ?? changes.length })}`
}

const FIELDS_NAMED = 3

/** What happened to one record, or to all of them alike. A single field is shown in full, several by name. */
export function ChangeText({ row }: RowProps) {
  const t = useScreenText()
  const texts = recordChanges(row).map(change => ({ ...change, text: changeText(change, t) }))
  const [first] = texts
  if (!first) return null
  const isShared = texts.every(({ effect, text }) => effect === first.effect && text === first.text)
  const text = isShared ? first.text : ''
  return (
    <span className="block max-w-72 truncate" title={text}>
      {isShared && first.effect !== 'changed' && <span className="mr-1 font-medium">{t(first.effect)}</span>}
      {text}
    </span>
  )
}

function changeText({ effect, fields }: RecordChange, t: ScreenTranslate): string {
  const [first] = fields
  if (!first || effect !== 'changed') return ''
  const { field, before = t('nothing'), after = t('nothing') } = first
  if (fields.length === 1) return `${field === '' ? '' : `${field}: `}${before} → ${after}`
  const named = fields.slice(0, FIELDS_NAMED).map(({ field: name }) => name)
  const names = named.join(', ')
  return fields.length > FIELDS_NAMED ? t('moreFields', { fields: names, count: fields.length }) : names
}
