import { ChevronRight } from 'lucide-react'
import { type ComponentType, memo, type ReactNode } from 'react'
import { IconButton } from '../../buttons/buttons.tsx'
import { classes } from '../../class-names.ts'
import { Checkbox } from '../../forms/fields.tsx'
import { useKitText } from '../../text/kit-text.ts'
import { type Column, type Density, ROW_HEIGHTS } from './column.ts'
import type { GridRow } from './use-rows.ts'

interface TableRowProps<Row extends object> {
  readonly row: GridRow<Row>
  readonly name: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly density: Density
  readonly isSelected: boolean | undefined
  /** Undefined where rows cannot expand. */
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
  const t = useKitText()
  const isHighlighted = isSelected || isOpen
  return (
    <tr
      data-row={row.id}
      data-marked={isHighlighted || undefined}
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

/** A table row. It renders again only when its own props change. */
export const TableRow = memoComponent(PlainTableRow)

/** `memo` for generic components. The result takes the same props, so the cast keeps its type. */
export function memoComponent<Component extends (props: never) => unknown>(component: Component): Component {
  return memo(component as unknown as ComponentType) as unknown as Component
}

/** Cell classes. The row class `.grid-row` adds the rest. */
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

/** The cells of a record. They do not render again when the selection or the cursor changes. */
export const RowCells = memoComponent(PlainRowCells)
