import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import { memoComponent } from '../memo-component.ts'
import type { Column } from './column.ts'

/** The rest of its look comes with its row (`.grid-row`). */
export const CELL = 'px-3 whitespace-nowrap'

interface RowCellsProps<Row extends object> {
  readonly row: Row
  readonly columns: ReadonlyArray<Column<Row>>
  readonly depth: number
  readonly hasSelection: boolean
  readonly actions: ((row: Row) => ReactNode) | undefined
}

function PlainRowCells<Row extends object>(props: RowCellsProps<Row>) {
  const { row, columns, depth, hasSelection, actions } = props
  return (
    <>
      {columns.map((column, index) => (
        <td
          key={column.id}
          className={classes(
            CELL,
            'dash-if-empty',
            column.align === 'end' && 'text-right tabular',
            index === 0 &&
              column.isFixed &&
              classes('sticky z-5 font-medium', hasSelection ? 'left-10' : 'left-0'),
            index === 0 && depth > 0 && 'pl-8',
          )}
        >
          {column.cell(row)}
        </td>
      ))}
      {actions && (
        <td className={classes(CELL, 'sticky right-0 group-data-overflowing/grid:edge-left z-5 text-right')}>
          <div className="-mr-1 flex items-center justify-end gap-0.5 coarse:gap-2.5">{actions(row)}</div>
        </td>
      )}
    </>
  )
}

/** What a row shows of its record. Selecting and walking the rows leaves it alone. */
export const RowCells = memoComponent(PlainRowCells)
