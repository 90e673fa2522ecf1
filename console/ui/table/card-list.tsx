import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from '../checkbox.tsx'
import { classes } from '../classes.ts'
import { IconButton } from '../icon-button.tsx'
import { kitText } from '../kit-text.ts'
import { useText } from '../text.ts'
import type { DataTableProps } from './column.ts'
import type { GridRow } from './use-rows.ts'

interface CardListProps<Row extends object> {
  readonly rows: ReadonlyArray<GridRow<Row>>
  readonly table: DataTableProps<Row>
}

/** The same rows where there is no room for a table. */
export function CardList<Row extends object>({ rows, table }: CardListProps<Row>) {
  return (
    <ul aria-label={table.label} className="grid grid-cols-1 gap-3">
      {rows.map(row => (
        <li
          key={row.id}
          className={classes(
            'grid grid-cols-1 gap-3 rounded-card border border-line bg-surface p-3',
            row.getIsSelected() && 'border-primary bg-selected',
            row.depth > 0 && 'ml-4',
          )}
        >
          <CardHead row={row} table={table} />
          <CardFacts row={row.original} table={table} />
          {table.actions && <CardActions>{table.actions(row.original)}</CardActions>}
          {table.detail && row.getIsExpanded() && (
            <div className="border-t border-line pt-3">{table.detail(row.original)}</div>
          )}
        </li>
      ))}
    </ul>
  )
}

function CardHead<Row extends object>({
  row,
  table,
}: {
  readonly row: GridRow<Row>
  readonly table: DataTableProps<Row>
}) {
  const t = useText(kitText)
  const { card, selection, rowName } = table
  const name = rowName(row.original)
  return (
    <div className="flex items-start gap-3">
      {selection && (
        <Checkbox
          aria-label={t('selectRow', { name })}
          checked={row.getIsSelected()}
          onChange={() => row.toggleSelected()}
          className="mt-0.5"
        />
      )}
      <div className="min-w-0 flex-1">
        <div className={classes('truncate font-medium', table.isMuted?.(row.original) && 'text-muted')}>
          {card.title(row.original)}
        </div>
        {card.subtitle && (
          <div className="truncate text-caption text-muted">{card.subtitle(row.original)}</div>
        )}
      </div>
      {card.status?.(row.original)}
      {row.getCanExpand() && (
        <IconButton
          label={t(row.getIsExpanded() ? 'collapse' : 'expand', { name })}
          aria-expanded={row.getIsExpanded()}
          icon={ChevronRight}
          size="small"
          className={classes(row.getIsExpanded() && 'rotate-90')}
          onClick={() => row.toggleExpanded()}
        />
      )}
    </div>
  )
}

const CardActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="-mx-3 -mb-3 flex items-center justify-around border-t border-line py-2.5">{children}</div>
)

function CardFacts<Row extends object>({
  row,
  table,
}: {
  readonly row: Row
  readonly table: DataTableProps<Row>
}) {
  return (
    <dl className="grid grid-cols-3 gap-2 text-small">
      {table.card.facts(row).map(fact => (
        <div key={fact.label} className="min-w-0">
          <dt className="truncate text-caption text-muted">{fact.label}</dt>
          <dd className="truncate tabular">{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}
