import { Fragment, useRef } from 'react'
import { classes } from '../../class-names.ts'
import { ProgressLine } from '../../feedback/feedback.tsx'
import { useKitText } from '../../text/kit-text.ts'
import { PHONE, useMedia } from '../../use-media.ts'
import { CardList } from './card-list.tsx'
import { type DataTableProps, DEFAULT_VIEW } from './column.ts'
import { StickyScrollbar } from './scroll-twin.tsx'
import { TableHead } from './table-head.tsx'
import { TableRow } from './table-row.tsx'
import { TableSkeleton } from './table-skeleton.tsx'
import { useFittingColumns } from './use-fitting-columns.ts'
import { type Rows, useRowCursor, useRows } from './use-rows.ts'

/**
 * A page of rows: a table, or cards on phones. Handles columns, selection, expansion and the keyboard; paging, filters
 * and sorting belong to the screen. `columns`, `actions` and `card` must be stable between renders.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const table = useRows(props)
  const isPhone = useMedia(PHONE)
  if (props.rows === undefined) return <TableSkeleton props={props} />
  if (table.rows.length === 0) {
    return <div className="rounded-card border border-line bg-surface">{props.empty}</div>
  }
  return (
    <div className="relative">
      {props.isRefreshing && <ProgressLine />}
      <div
        className={classes('transition-opacity delay-300 duration-150', props.isRefreshing && 'opacity-60')}
      >
        {isPhone ? <CardList table={table} props={props} /> : <Grid table={table} props={props} />}
      </div>
    </div>
  )
}

interface GridProps<Row extends object> {
  readonly table: Rows<Row>
  readonly props: DataTableProps<Row>
}

function Grid<Row extends object>({ table, props }: GridProps<Row>) {
  const t = useKitText()
  const { rows } = table
  const { view = DEFAULT_VIEW, selection, detail, subRows } = props
  const { cursor, onKeyDown, onFocus } = useRowCursor(table, props)
  const box = useRef<HTMLDivElement>(null)
  const columns = useFittingColumns(props, box)
  const hasExpander = detail !== undefined || subRows !== undefined
  const width =
    columns.length +
    Number(selection !== undefined) +
    Number(hasExpander) +
    Number(props.actions !== undefined)
  return (
    <>
      <div
        ref={box}
        className="group/grid relative overflow-clip rounded-card border border-line bg-surface data-overflowing:overflow-x-auto data-overflowing:overflow-y-hidden"
      >
        <table className="w-full border-separate border-spacing-0 text-small">
          <caption className="sr-only">{props.label}</caption>
          <TableHead
            columns={columns}
            hasExpander={hasExpander}
            hasActions={props.actions !== undefined}
            selected={selection && table.selected}
            onSelectAll={table.selectAll}
            sort={props.sort}
            onSort={props.onSort}
          />
          <tbody onKeyDown={onKeyDown} onFocus={onFocus}>
            {rows.map(row => (
              <Fragment key={row.id}>
                <TableRow
                  row={row}
                  name={props.rowName(row.original)}
                  columns={columns}
                  density={view.density}
                  isSelected={selection ? table.isSelected(row.id) : undefined}
                  isExpanded={hasExpander ? table.isExpanded(row.id) : undefined}
                  isMuted={props.isMuted?.(row.original) ?? false}
                  isOpen={props.openId === row.id}
                  isCursor={cursor?.id === row.id}
                  actions={props.actions}
                  onToggleSelected={table.toggleSelected}
                  onToggleExpanded={table.toggleExpanded}
                />
                {detail && table.isExpanded(row.id) && (
                  <tr>
                    <td colSpan={width} className="border-b border-line bg-sunken p-0">
                      {detail(row.original)}
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
        <p role="status" className="sr-only">
          {cursor &&
            t('rowOf', {
              row: rows.indexOf(cursor) + 1,
              rows: rows.length,
              name: props.rowName(cursor.original),
            })}
        </p>
      </div>
      <StickyScrollbar />
    </>
  )
}
