import { Ticket } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Redemption } from '#contract/redemptions.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { useTableView } from '../../app/table-state.ts'
import { formatDateTime } from '../../app/time.ts'
import { copyText } from '../../ui/copy-text.ts'
import { NoneFound } from '../../ui/none-found.tsx'
import { NoneYet } from '../../ui/none-yet.tsx'
import type { RowCard, Selection } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { KeyCell, NameCell, RedeemerCell, StatusCell } from './code-cells.tsx'
import { useCodeColumns } from './code-columns.tsx'
import { CodeRowActions } from './code-row-actions.tsx'
import { STATUS } from './code-state.ts'
import { NEW } from './search.ts'
import { text } from './text.ts'
import { useCodeActions } from './use-code-actions.tsx'

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
  const t = useText(text)
  const [view] = useTableView('redemptions')
  const columns = useCodeColumns()
  const card = useCodeCard()
  const { toggle, askDelete } = useCodeActions()
  const open = useCallback((code: Redemption) => onOpen(String(code.id)), [onOpen])
  const actions = useCallback(
    (code: Redemption) => (
      <CodeRowActions code={code} onOpen={open} onToggle={toggle} onDelete={() => void askDelete(code)} />
    ),
    [open, toggle, askDelete],
  )
  const copy = async (code: Redemption) => {
    if (await copyText(code.key)) toast('success', t('copied', { count: 1 }))
  }
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={idOf}
      rowName={nameOf}
      card={card}
      view={view}
      selection={selection}
      actions={actions}
      isMuted={isSpent}
      openId={openId}
      onOpen={open}
      rowKeys={{ e: open, c: code => void copy(code), Delete: code => void askDelete(code) }}
      isRefreshing={isRefreshing}
      empty={
        isFiltered ? (
          <NoneFound
            title={t('noneFoundTitle')}
            text={t('noneFoundText')}
            clear={t('clearSearch')}
            onClear={onClearSearch}
          />
        ) : (
          <NoneYet
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

const idOf = (code: Redemption): string => String(code.id)
const nameOf = (code: Redemption): string => `${code.name} #${code.id}`
const isSpent = (code: Redemption): boolean => code.status !== STATUS.unused

function useCodeCard(): RowCard<Redemption> {
  const t = useText(text)
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
