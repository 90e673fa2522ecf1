import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from '../checkbox.tsx'
import { classes } from '../classes.ts'
import { IconButton } from '../icon-button.tsx'
import { kitText } from '../kit-text.ts'
import { memoComponent } from '../memo-component.ts'
import { useText } from '../text.ts'
import type { Column, Density } from './column.ts'
import { CELL, RowCells } from './row-cells.tsx'
import { ROW_HEIGHTS } from './row-heights.ts'
import type { GridRow } from './use-rows.ts'

interface TableRowProps<Row extends object> {
  readonly row: GridRow<Row>
  readonly name: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly density: Density
  readonly isSelected: boolean | undefined
  /** Undefined where no row of the table opens. */
  readonly isExpanded: boolean | undefined
  readonly isMuted: boolean
  readonly isOpen: boolean
  readonly isCursor: boolean
  readonly actions: ((row: Row) => ReactNode) | undefined
  readonly onToggleSelected: (id: string, isRange: boolean) => void
  readonly onToggleExpanded: (id: string) => void
}

function PlainTableRow<Row extends object>(props: TableRowProps<Row>) {
  const { row, name, columns, density, isSelected, isExpanded, isMuted, isOpen, isCursor, actions } = props
  const t = useText(kitText)
  const isMarked = isSelected || isOpen
  return (
    <tr
      data-row={row.id}
      data-marked={isMarked || undefined}
      tabIndex={isCursor ? 0 : -1}
      aria-label={name}
      aria-selected={isSelected}
      className={classes('grid-row outline-offset-[-2px]', ROW_HEIGHTS[density], isMuted && 'text-muted')}
    >
      {isSelected !== undefined && (
        <td className={classes(CELL, 'sticky left-0 z-5 w-10 px-0!')}>
          <span className="flex w-10 pl-3">
            <Checkbox
              aria-label={t('selectRow', { name })}
              checked={isSelected}
              onChange={() => undefined}
              onClick={event => props.onToggleSelected(row.id, event.shiftKey)}
            />
          </span>
        </td>
      )}
      {isExpanded !== undefined && (
        <td className={classes(CELL, 'w-9 px-0! text-center')}>
          {row.canExpand && (
            <IconButton
              label={t(isExpanded ? 'collapse' : 'expand', { name })}
              aria-expanded={isExpanded}
              icon={ChevronRight}
              size="small"
              hasTooltip={false}
              className={classes('transition-transform', isExpanded && 'rotate-90')}
              onClick={() => props.onToggleExpanded(row.id)}
            />
          )}
        </td>
      )}
      <RowCells
        row={row.original}
        columns={columns}
        depth={row.depth}
        hasSelection={isSelected !== undefined}
        actions={actions}
      />
    </tr>
  )
}

/** One row. It draws again only when something of its own has changed. */
export const TableRow = memoComponent(PlainTableRow)
