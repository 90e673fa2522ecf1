import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { classes } from '../../class-names.ts'
import { Checkbox } from '../../forms/fields.tsx'
import { useKitText } from '../../text/kit-text.ts'
import type { Column, Sort } from './column.ts'

/** Classes of a column header. */
export const HEAD_CELL =
  'h-9 border-b border-line bg-sunken px-3 text-caption font-medium text-muted whitespace-nowrap'
/** Below the header of the page. */
const CELL = `sticky top-13 z-10 sm:top-14 group-data-overflowing/grid:top-(--head-top) ${HEAD_CELL}`

interface TableHeadProps<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly hasExpander: boolean
  readonly hasActions: boolean
  /** Undefined where rows cannot be selected. */
  readonly selected: 'none' | 'some' | 'all' | undefined
  readonly onSelectAll: (isSelected: boolean) => void
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort | undefined) => void) | undefined
}

export function TableHead<Row>(props: TableHeadProps<Row>) {
  const { columns, hasExpander, hasActions, selected, onSelectAll, sort, onSort } = props
  const t = useKitText()
  return (
    <thead>
      <tr>
        {selected && (
          <th scope="col" className={classes(CELL, 'left-0 z-20 w-10 px-0!')}>
            <span className="flex w-10 pl-3">
              <Checkbox
                aria-label={t('selectPage')}
                checked={selected === 'all'}
                isMixed={selected === 'some'}
                onChange={event => onSelectAll(event.target.checked)}
              />
            </span>
          </th>
        )}
        {hasExpander && (
          <th scope="col" className={classes(CELL, 'w-9 px-0!')}>
            <span className="sr-only">{t('expand', { name: '' })}</span>
          </th>
        )}
        {columns.map((column, index) => (
          <th
            key={column.id}
            data-column={column.id}
            scope="col"
            aria-sort={ariaSort(column, sort)}
            className={classes(
              CELL,
              column.width,
              column.align === 'end' ? 'text-right' : 'text-left',
              index === 0 && column.isFixed && classes('z-20', selected ? 'left-10' : 'left-0'),
            )}
          >
            {column.sortKey && onSort ? (
              <SortButton column={column} sort={sort} onSort={onSort} />
            ) : (
              column.header
            )}
          </th>
        ))}
        {hasActions && (
          <th
            scope="col"
            className={classes(CELL, 'right-0 group-data-overflowing/grid:edge-left z-20 text-right')}
          >
            {t('actions')}
          </th>
        )}
      </tr>
    </thead>
  )
}

function ariaSort<Row>(
  column: Column<Row>,
  sort: Sort | undefined,
): 'ascending' | 'descending' | 'none' | undefined {
  if (!column.sortKey) return undefined
  if (sort?.key !== column.sortKey) return 'none'
  return sort.isDescending ? 'descending' : 'ascending'
}

interface SortButtonProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
}

/** Cycles through descending, ascending and the default order. */
function SortButton<Row>({ column, sort, onSort }: SortButtonProps<Row>) {
  const t = useKitText()
  const key = column.sortKey ?? column.id
  const isActive = sort?.key === key
  const Icon = isActive ? (sort.isDescending ? ArrowDown : ArrowUp) : ChevronsUpDown
  const next = !isActive
    ? { key, isDescending: true }
    : sort.isDescending
      ? { key, isDescending: false }
      : undefined
  return (
    <button
      type="button"
      aria-label={t('sortBy', { name: column.header })}
      onClick={() => onSort(next)}
      className={classes(
        '-mx-1 inline-flex items-center gap-1 rounded-control px-1 font-medium hover:text-fg',
        isActive && 'text-fg',
      )}
    >
      {column.header}
      <Icon size={13} aria-hidden />
    </button>
  )
}
