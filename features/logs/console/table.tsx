import type { UseQueryResult } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { Suspense, useCallback, useMemo } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime } from '#console/app/format/format.tsx'
import { RANGE_DEFAULT } from '#console/app/time/ranges.ts'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import type { Column, TableView } from '#console/ui/data/table/column.ts'
import { DataTable } from '#console/ui/data/table/data-table.tsx'
import { EmptyState, NoResults, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { PHONE, useMedia } from '#console/ui/use-media.ts'
import type { LogEntry } from '../contract/logs.ts'
import { logCard } from './columns.tsx'
import { type Row, toRow, typeBadge } from './entry.ts'
import { useScreenText } from './text.ts'
import { countActiveFilters, type LogUrl, NO_FILTERS } from './view.ts'

interface LogTableProps {
  readonly url: LogUrl
  readonly rows: UseQueryResult<{ readonly items: readonly LogEntry[] }>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly view: TableView
  readonly onRetry: () => void
}

const rowDetail = lazyPart(async () => (await import('./sheet/row-detail.tsx')).RowDetail)

const expandedRow = (row: Row) => (
  <Suspense fallback={<Skeleton className="m-4 h-32" />}>
    <rowDetail.Part row={row} />
  </Suspense>
)

const rowId = ({ entry }: Row): string => String(entry.id)

export function LogTable({ url, rows, columns, view, onRetry }: LogTableProps) {
  const t = useScreenText()
  const language = useLanguage()
  const { search, set } = url
  const isPhone = useMedia(PHONE)
  const card = useMemo(() => logCard(language), [language])
  const entries = rows.data?.items
  const tableRows = useMemo(() => entries?.map(toRow), [entries])
  const open = useCallback(({ entry }: Row) => set({ row: String(entry.id) }, { push: true }), [set])
  const rowName = ({ entry }: Row) =>
    [
      formatDateTime(entry.created_at),
      t(typeBadge(entry.type).textKey, { type: entry.type }),
      entry.model_name,
    ]
      .filter(Boolean)
      .join(', ')
  return (
    <>
      {rows.error && <LoadError error={rows.error} isBusy={rows.isFetching} onRetry={onRetry} />}
      {!(rows.error && tableRows === undefined) && (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={tableRows}
          rowId={rowId}
          rowName={rowName}
          card={card}
          empty={<NoRows url={url} />}
          view={view}
          openId={search.row === '' ? undefined : search.row}
          onOpen={open}
          {...(!isPhone && { detail: expandedRow })}
          isRefreshing={rows.isFetching && rows.isPlaceholderData}
          rowKeys={{ c: ({ entry }) => void copyText(entry.request_id) }}
        />
      )}
    </>
  )
}

function NoRows({ url }: { readonly url: LogUrl }) {
  const t = useScreenText()
  const kit = useKitText()
  const { search, setFilter, range, isExact } = url
  const isDefaultRange = range === RANGE_DEFAULT && !isExact
  const cleared = { ...NO_FILTERS, range: RANGE_DEFAULT, from: '', to: '' }
  if (countActiveFilters(search) > 0 || search.request !== '' || !isDefaultRange)
    return (
      <NoResults
        title={t('noMatch')}
        text={t('noMatchText')}
        clear={kit('clearAll')}
        onClear={() => setFilter(cleared)}
      />
    )
  return <EmptyState icon={ScrollText} title={t('empty')} text={t('emptyText')} />
}
