import { useMemo, useState } from 'react'
import { BulkBar, Facet, FilterBar, SearchBox } from '../ui/data/filter/filters.tsx'
import { Pagination } from '../ui/data/pagination.tsx'
import { type Column, DEFAULT_VIEW, type Sort } from '../ui/data/table/column.ts'
import { DataTable } from '../ui/data/table/data-table.tsx'
import { ViewButton } from '../ui/data/table/view-button.tsx'
import { KitSection } from './section.tsx'
import { useScreenText } from './text.ts'

interface Sample {
  readonly id: number
  readonly amount: number
}

const ROWS: readonly Sample[] = Array.from({ length: 10 }, (_, index) => ({
  id: index + 1,
  amount: index * 1234,
}))

export function KitTable() {
  const t = useScreenText()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [view, setView] = useState(DEFAULT_VIEW)
  const [sort, setSort] = useState<Sort>()
  const [page, setPage] = useState(1)
  const [facet, setFacet] = useState('')
  const columns = useMemo<ReadonlyArray<Column<Sample>>>(
    () => [
      { id: 'name', header: t('name'), isFixed: true, cell: row => `${t('sample')} ${row.id}` },
      { id: 'amount', header: t('amount'), align: 'end', sortKey: 'amount', cell: row => row.amount },
    ],
    [t],
  )
  const shared = { label: t('tables'), columns, rowId, rowName: rowId, empty: t('nothing'), card }
  return (
    <KitSection title={t('tables')}>
      {selected.size > 0 ? (
        <BulkBar count={selected.size} onClear={() => setSelected(new Set())}>
          {t('sample')}
        </BulkBar>
      ) : (
        <FilterBar
          active={facet === '' ? 0 : 1}
          onClear={() => setFacet('')}
          search={<SearchBox label={t('label')} value="" onSearch={() => undefined} />}
          tools={<ViewButton columns={columns} view={view} onChange={setView} />}
        >
          <Facet
            label={t('states')}
            options={[
              { value: '1', label: t('one'), count: 12 },
              { value: '2', label: t('two'), count: 3 },
            ]}
            value={facet}
            onChange={setFacet}
          />
        </FilterBar>
      )}
      <DataTable
        {...shared}
        rows={ROWS}
        view={view}
        sort={sort}
        onSort={setSort}
        selection={{ ids: selected, onChange: setSelected }}
        detail={row => <p className="p-4">{row.amount}</p>}
        isRefreshing={page === 2}
      />
      <Pagination page={page} size={10} total={42} shown={10} onPage={setPage} onSize={() => undefined} />
      <DataTable {...shared} rows={undefined} skeletonRows={2} />
    </KitSection>
  )
}

const rowId = (row: Sample): string => String(row.id)
const card = {
  title: rowId,
  facts: (row: Sample) => [{ label: '#', value: row.amount }],
}
