import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../buttons/buttons.tsx'
import { classes } from '../../class-names.ts'
import { Checkbox } from '../../forms/fields.tsx'
import { useKitText } from '../../text/kit-text.ts'
import type { DataTableProps, RowCard } from './column.ts'
import type { GridRow, Rows } from './use-rows.ts'

interface CardListProps<Row extends object> {
  readonly table: Rows<Row>
  readonly props: DataTableProps<Row>
}

/** The rows as cards, for phones. */
export function CardList<Row extends object>({ table, props }: CardListProps<Row>) {
  return (
    <ul aria-label={props.label} className="grid grid-cols-1 gap-3">
      {table.rows.map(row => (
        <li
          key={row.id}
          className={classes(
            'grid grid-cols-1 gap-3 rounded-card border border-line bg-surface p-3',
            table.isSelected(row.id) && 'border-primary bg-selected',
            row.depth > 0 && 'ml-4',
          )}
        >
          <CardHead row={row} table={table} props={props} />
          <CardFacts row={row.original} card={props.card} />
          {props.actions && <CardActions>{props.actions(row.original)}</CardActions>}
          {props.detail && table.isExpanded(row.id) && (
            <div className="border-t border-line pt-3">{props.detail(row.original)}</div>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Extends the touch target by 12 px above and below. More would be clipped by `truncate`. */
const TITLE = 'truncate font-medium coarse:-my-3 coarse:py-3 coarse:[&>button]:-my-3 coarse:[&>button]:py-3'

interface CardHeadProps<Row extends object> extends CardListProps<Row> {
  readonly row: GridRow<Row>
}

function CardHead<Row extends object>({ row, table, props }: CardHeadProps<Row>) {
  const t = useKitText()
  const { card, selection, rowName, isMuted } = props
  const name = rowName(row.original)
  const isExpanded = table.isExpanded(row.id)
  return (
    <div className="flex items-start gap-3">
      {selection && (
        <Checkbox
          aria-label={t('selectRow', { name })}
          checked={table.isSelected(row.id)}
          onChange={() => table.toggleSelected(row.id, false)}
          className="mt-0.5"
        />
      )}
      <div className="grid min-w-0 flex-1 grid-cols-1 coarse:gap-2">
        <div className={classes(TITLE, isMuted?.(row.original) && 'text-muted')}>
          {card.title(row.original)}
        </div>
        {card.subtitle && (
          <div className="truncate text-caption text-muted coarse:-mb-3 coarse:pb-3">
            {card.subtitle(row.original)}
          </div>
        )}
      </div>
      {card.status?.(row.original)}
      {row.canExpand && (
        <IconButton
          label={t(isExpanded ? 'collapse' : 'expand', { name })}
          aria-expanded={isExpanded}
          icon={ChevronRight}
          size="small"
          className={classes(isExpanded && 'rotate-90')}
          onClick={() => table.toggleExpanded(row.id)}
        />
      )}
    </div>
  )
}

const CardActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="-mx-3 -mb-3 flex items-center justify-around border-t border-line py-2.5 empty:hidden">
    {children}
  </div>
)

interface CardFactsProps<Row> {
  readonly row: Row
  readonly card: RowCard<Row>
}

function CardFacts<Row>({ row, card }: CardFactsProps<Row>) {
  return (
    <dl className="grid grid-cols-3 gap-2 text-small">
      {card.facts(row).map(fact => (
        <div key={fact.label} className="min-w-0">
          <dt className="truncate text-caption text-muted">{fact.label}</dt>
          <dd className="min-h-7 content-center truncate tabular coarse:-my-2 coarse:box-content coarse:py-2 [&_input]:text-left">
            {fact.value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
