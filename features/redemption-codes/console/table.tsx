import { Ticket } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { formatDateTime, MoneyText, TimeText } from '#console/app/format/format.tsx'
import { ListTable } from '#console/app/list/list-page.tsx'
import { RecordLink, UserLink } from '#console/app/list/record-link.tsx'
import { SecretCell } from '#console/app/preferences/privacy.tsx'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import { type BadgeMark, StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, type Selection, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { EmptyList, NoResults } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { Redemption } from '../contract.ts'
import { CodeRowActions, useCodeActions } from './actions.tsx'
import { type CodeStatus, codeStatus, maskedCode } from './code.ts'
import { NEW, RedemptionSearch } from './search-params.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

interface CodesTableProps {
  readonly rows: readonly Redemption[] | undefined
  readonly isFiltered: boolean
  readonly isRefreshing: boolean
  readonly selection: Selection
  readonly openId: string
  readonly onOpen: (edit: string) => void
  readonly onClearSearch: () => void
}

export function CodesTable(props: CodesTableProps) {
  const { rows, isFiltered, isRefreshing, selection, openId, onOpen, onClearSearch } = props
  const t = useScreenText()
  const columns = useCodeColumns()
  const card = useCodeCard()
  const { toggle, confirmDelete } = useCodeActions()
  const open = useCallback((code: Redemption) => onOpen(String(code.id)), [onOpen])
  const actions = useCallback(
    (code: Redemption) => (
      <CodeRowActions code={code} onOpen={open} onToggle={toggle} onDelete={() => void confirmDelete(code)} />
    ),
    [open, toggle, confirmDelete],
  )
  const copy = async (code: Redemption) => {
    if (await copyText(code.key)) toast('success', t('copied', { count: 1 }))
  }
  return (
    <ListTable
      table="redemptions"
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={rowId}
      rowName={rowName}
      card={card}
      selection={selection}
      actions={actions}
      isMuted={isUnavailable}
      openId={openId}
      onOpen={open}
      rowKeys={{ e: open, c: code => void copy(code), Delete: code => void confirmDelete(code) }}
      isRefreshing={isRefreshing}
      empty={
        isFiltered ? (
          <NoResults
            title={t('noneFoundTitle')}
            text={t('noneFoundText')}
            clear={t('clearSearch')}
            onClear={onClearSearch}
          />
        ) : (
          <EmptyList
            icon={Ticket}
            title={t('emptyTitle')}
            text={t('emptyText')}
            add={t('add')}
            onAdd={() => onOpen(NEW)}
          />
        )
      }
    />
  )
}

const rowId = (code: Redemption): string => String(code.id)
const rowName = (code: Redemption): string => `${code.name} #${code.id}`
const isUnavailable = (code: Redemption): boolean => code.status !== REDEMPTION_STATUS.unused

function useCodeCard(): RowCard<Redemption> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: code => <NameCell code={code} />,
      subtitle: code => <KeyCell code={code} />,
      status: code => <StatusCell code={code} />,
      facts: code => [
        { label: t('quota'), value: <MoneyText quota={code.quota} /> },
        { label: t('created'), value: formatDateTime(code.created_time).slice(0, 10) },
        { label: t('redeemedBy'), value: <RedeemerCell code={code} /> },
      ],
    }),
    [t],
  )
}

/** The columns of the code list, headed in the current language. */
export function useCodeColumns(): ReadonlyArray<Column<Redemption>> {
  const t = useScreenText()
  return useMemo(() => codeColumns(t), [t])
}

const codeColumns = (t: ScreenTranslate): ReadonlyArray<Column<Redemption>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: code => <NameCell code={code} /> },
  { id: 'id', header: t('id'), align: 'end', cell: code => code.id },
  { id: 'key', header: t('key'), cell: code => <KeyCell code={code} /> },
  { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: code => <StatusCell code={code} /> },
  { id: 'quota', header: t('quota'), align: 'end', cell: code => <MoneyText quota={code.quota} /> },
  { id: 'created', header: t('created'), cell: code => <TimeText unixSeconds={code.created_time} /> },
  {
    id: 'redeemed',
    header: t('redeemed'),
    cell: code =>
      code.redeemed_time > 0 ? (
        <TimeText unixSeconds={code.redeemed_time} />
      ) : (
        <span className="text-subtle">{t('never')}</span>
      ),
  },
  { id: 'redeemedBy', header: t('redeemedBy'), cell: code => <RedeemerCell code={code} /> },
]

const STATUS_BADGES: Readonly<Record<CodeStatus | 'unknown', readonly [Tone, BadgeMark]>> = {
  unused: ['success', 'filled'],
  disabled: ['neutral', 'hollow'],
  used: ['info', 'filled'],
  unknown: ['unknown', 'none'],
}

const HIDDEN_CODE = '••••••••••••'

interface CodeProps {
  readonly code: Redemption
}

/** The name of the code; opens its sheet. */
function NameCell({ code }: CodeProps) {
  return (
    <RecordLink
      name={code.name}
      schema={RedemptionSearch}
      open={{ edit: String(code.id) }}
      className="touch-line"
    />
  )
}

function KeyCell({ code }: CodeProps) {
  const t = useScreenText()
  const { name } = code
  return (
    <SecretCell
      secret={code.key}
      masked={maskedCode(code)}
      hidden={HIDDEN_CODE}
      labels={{ show: t('showKey', { name }), hide: t('hideKey', { name }), copy: t('copyKey', { name }) }}
    />
  )
}

export function StatusCell({ code }: CodeProps) {
  const t = useScreenText()
  const status = codeStatus(code)
  const [tone, mark] = STATUS_BADGES[status]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(status, { status: code.status })}
    </StatusBadge>
  )
}

/** The user that redeemed the code. */
export function RedeemerCell({ code }: CodeProps) {
  const t = useScreenText()
  const id = code.used_user_id
  if (id === 0) return <span className="text-subtle">{t('nobody')}</span>
  return (
    <UserLink id={id} label={t('openUser', { id })} className="inline-block touch-line text-accent tabular">
      {`#${id}`}
    </UserLink>
  )
}
