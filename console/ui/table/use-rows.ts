import {
  type ColumnDef,
  columnVisibilityFeature,
  createExpandedRowModel,
  type RowSelectionState,
  rowExpandingFeature,
  rowSelectionFeature,
  type Row as TableRow,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { type Column, type DataTableProps, FIRST_VIEW, type Selection, type TableView } from './column.ts'

const features = tableFeatures({
  rowSelectionFeature,
  columnVisibilityFeature,
  rowExpandingFeature,
  expandedRowModel: createExpandedRowModel(),
})
type Features = typeof features

export type GridRow<Row extends object> = TableRow<Features, Row>

const NO_ROWS: readonly never[] = []
const NO_SELECTION: ReadonlySet<string> = new Set()

/** Whether the reader sees a column. */
export const isColumnShown = <Row>(column: Column<Row>, view: TableView): boolean =>
  column.isFixed || (column.isExtra ? view.shown.includes(column.id) : !view.hidden.includes(column.id))

const flags = (ids: Iterable<string>): RowSelectionState =>
  Object.fromEntries([...ids].map(id => [id, true as const]))

const idsOf = (selected: RowSelectionState): ReadonlySet<string> =>
  new Set(Object.keys(selected).filter(id => selected[id]))

/** The table's model: which columns and rows are shown, which are selected and open. */
export function useRows<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, subRows, selection, view = FIRST_VIEW, detail } = props
  const definitions = useMemo<ColumnDef<Features, Row>[]>(
    () => columns.map(column => ({ id: column.id, header: column.header, accessorFn: row => row })),
    [columns],
  )
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(column => [column.id, isColumnShown(column, view)])),
    [columns, view],
  )
  const selected = selection?.ids ?? NO_SELECTION
  const rowSelection = useMemo(() => flags(selected), [selected])
  return useTable({
    features,
    columns: definitions,
    data: rows ?? NO_ROWS,
    getRowId: rowId,
    ...(subRows ? { getSubRows: subRows } : {}),
    getRowCanExpand: row => detail !== undefined || row.subRows.length > 0,
    state: { rowSelection, columnVisibility },
    onRowSelectionChange: change => report(selection, rowSelection, change),
  })
}

function report(
  selection: Selection | undefined,
  before: RowSelectionState,
  change: Updater<RowSelectionState>,
): void {
  selection?.onChange(idsOf(typeof change === 'function' ? change(before) : change))
}
