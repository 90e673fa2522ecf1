import { useQuery } from '@tanstack/react-query'
import { Eye, History, Trash2 } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import type { Column, RowCard } from '#console/ui/data/table/column.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { ReconciliationSummary } from '../contract.ts'
import { Amount, periodOf, sourceOf } from './amounts.tsx'
import { historyQuery, useDeleteReconciliation } from './queries.ts'
import { useReconciliationText } from './text.ts'

interface ReconciliationHistoryProps {
  /** Of the result that is shown; empty for none. */
  readonly openId: string
  readonly onOpen: (id: number) => void
  readonly onDeleted: (id: string) => void
}

/** Earlier reconciliations with user and time. */
export function ReconciliationHistory({ openId, onOpen, onDeleted }: ReconciliationHistoryProps) {
  const t = useReconciliationText()
  const pages = usePages()
  const query = useQuery(historyQuery(pages.page, pages.size))
  const rowName = useCallback((row: ReconciliationSummary) => nameOf(row, t('balance')), [t])
  const columns = useColumns()
  const card = useCard()
  const actions = useActions({ openId, onOpen, onDeleted })
  return (
    <ListSection
      label={t('history')}
      heading={<h2 className="font-medium">{t('history')}</h2>}
      pages={pages}
      query={query}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      card={card}
      actions={actions}
      empty={<EmptyState icon={History} title={t('historyNone')} text={t('historyHelp')} />}
    />
  )
}

const rowId = ({ id }: ReconciliationSummary): string => String(id)

/** Names a row for screen readers. */
const nameOf = (row: ReconciliationSummary, balance: string): string =>
  `${sourceOf(row, balance)} ${periodOf(row)}`

const differenceOf = ({ billed_nanos, computed_nanos }: ReconciliationSummary): number | null =>
  billed_nanos === null ? null : billed_nanos - computed_nanos

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <span className="block max-w-60 truncate" title={names.join(', ')}>
    {names.join(', ')}
  </span>
)

function useColumns(): ReadonlyArray<Column<ReconciliationSummary>> {
  const t = useReconciliationText()
  return useMemo(
    () => [
      {
        id: 'bills',
        header: t('bills'),
        isFixed: true,
        cell: row => <Names names={[sourceOf(row, t('balance'))]} />,
      },
      {
        id: 'period',
        header: t('period'),
        cell: periodOf,
      },
      {
        id: 'channels',
        header: t('channels'),
        cell: ({ channels }) => <Names names={channels.map(({ name }) => name)} />,
      },
      {
        id: 'billed',
        header: t('billed'),
        align: 'end',
        cell: ({ billed_nanos }) => <Amount nanos={billed_nanos} />,
      },
      {
        id: 'computed',
        header: t('computed'),
        align: 'end',
        cell: ({ computed_nanos }) => <Amount nanos={computed_nanos} />,
      },
      {
        id: 'difference',
        header: t('difference'),
        align: 'end',
        cell: row => <Amount nanos={differenceOf(row)} isSigned />,
      },
      { id: 'time', header: t('time'), cell: ({ created_at }) => <TimeText unixSeconds={created_at} /> },
      { id: 'by', header: t('by'), cell: ({ username }) => username },
    ],
    [t],
  )
}

function useCard(): RowCard<ReconciliationSummary> {
  const t = useReconciliationText()
  return useMemo(
    () => ({
      title: row => <span className="break-all">{sourceOf(row, t('balance'))}</span>,
      subtitle: periodOf,
      facts: row => [
        { label: t('channels'), value: row.channels.map(({ name }) => name).join(', ') },
        { label: t('billed'), value: <Amount nanos={row.billed_nanos} /> },
        { label: t('computed'), value: <Amount nanos={row.computed_nanos} /> },
        { label: t('difference'), value: <Amount nanos={differenceOf(row)} isSigned /> },
        { label: t('time'), value: <TimeText unixSeconds={row.created_at} /> },
        { label: t('by'), value: row.username },
      ],
    }),
    [t],
  )
}

/** The buttons that open and delete a reconciliation. */
function useActions({ openId, onOpen, onDeleted }: ReconciliationHistoryProps) {
  const t = useReconciliationText()
  const { mutate, isPending } = useDeleteReconciliation()
  return useCallback(
    (row: ReconciliationSummary) => {
      const remove = async () => {
        const question = {
          title: t('removeTitle'),
          text: t('removeText'),
          action: t('remove'),
          isDanger: true,
        }
        if (!(await confirm(question))) return
        mutate(row.id, {
          onSuccess: () => {
            toast('success', t('removed'))
            onDeleted(String(row.id))
          },
        })
      }
      return (
        <>
          <IconButton
            label={t('openOf', { name: nameOf(row, t('balance')) })}
            icon={Eye}
            aria-pressed={openId === String(row.id)}
            onClick={() => onOpen(row.id)}
          />
          <IconButton
            label={t('removeOf', { name: nameOf(row, t('balance')) })}
            icon={Trash2}
            disabled={isPending}
            onClick={() => void remove()}
          />
        </>
      )
    },
    [t, isPending, mutate, openId, onOpen, onDeleted],
  )
}
