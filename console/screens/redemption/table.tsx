import { Ticket } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Redemption } from '#contract/billing/redemptions.ts'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import { formatDateTime, MoneyText } from '../../app/format/format.tsx'
import { ListTable } from '../../app/list/list-page.tsx'
import { copyText } from '../../ui/buttons/buttons.tsx'
import type { RowCard, Selection } from '../../ui/data/table/column.ts'
import { EmptyList, NoResults } from '../../ui/feedback/feedback.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { CodeRowActions, useCodeActions } from './actions.tsx'

import { KeyCell, NameCell, RedeemerCell, StatusCell, useCodeColumns } from './columns.tsx'
import { NEW } from './search-params.ts'
import { useScreenText } from './text.ts'

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
