import { useMemo } from 'react'
import { classes } from '../../class-names.ts'
import { Skeleton } from '../../feedback/feedback.tsx'
import { useKitText } from '../../text/kit-text.ts'
import { PHONE, useMedia, WIDE } from '../../use-media.ts'
import { type DataTableProps, DEFAULT_VIEW, isChosen, isColumnShown, ROW_HEIGHTS } from './column.ts'
import { HEAD_CELL } from './table-head.tsx'
import { CELL } from './table-row.tsx'

const ROWS = 10
const BAR_WIDTHS = ['w-28', 'w-20', 'w-16', 'w-24'] as const

interface TableSkeletonProps<Row extends object> {
  /** Props of the table that is loading. */
  readonly props: DataTableProps<Row>
}

/** Skeleton of a table, or of cards on phones, while the first page loads. */
export function TableSkeleton<Row extends object>({ props }: TableSkeletonProps<Row>) {
  const t = useKitText()
  const isPhone = useMedia(PHONE)
  const rows = props.skeletonRows ?? ROWS
  return (
    <div role="status">
      <span className="sr-only">{t('loading')}</span>
      {isPhone ? (
        <CardSkeleton cards={rows} hasActions={props.actions !== undefined} />
      ) : (
        <div aria-hidden className="overflow-hidden rounded-card border border-line bg-surface">
          <div className="table w-full text-small">
            <SkeletonHead props={props} />
            {Array.from({ length: rows }, (_, row) => `row-${row}`).map(key => (
              <SkeletonRow key={key} props={props} />
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

const SKELETON_CELL = 'table-cell align-middle'

/** The columns of the view that the window is wide enough for. A reader who has chosen columns sees all of them. */
export function useShownColumns<Row extends object>({ columns, view = DEFAULT_VIEW }: DataTableProps<Row>) {
  const showsAll = useMedia(WIDE) || isChosen(view)
  return useMemo(
    () => columns.filter(column => isColumnShown(column, view) && (showsAll || !column.isWide)),
    [columns, view, showsAll],
  )
}

/** Whether a checkbox or an expander precedes the columns. */
const hasLeadingCell = <Row extends object>({ selection, detail, subRows }: DataTableProps<Row>): boolean =>
  Boolean(selection ?? detail ?? subRows)

function SkeletonHead<Row extends object>({ props }: TableSkeletonProps<Row>) {
  const t = useKitText()
  const cell = classes(HEAD_CELL, SKELETON_CELL)
  return (
    <div className="table-row">
      {hasLeadingCell(props) && <span className={classes(cell, 'w-10')} />}
      {useShownColumns(props).map(({ id, header, align }) => (
        <span key={id} className={classes(cell, align === 'end' && 'text-right')}>
          {header}
        </span>
      ))}
      {props.actions && <span className={classes(cell, 'text-right')}>{t('actions')}</span>}
    </div>
  )
}

function SkeletonRow<Row extends object>({ props }: TableSkeletonProps<Row>) {
  const { view = DEFAULT_VIEW } = props
  const cell = classes(CELL, SKELETON_CELL, 'border-b border-line')
  return (
    <div className={classes('table-row', ROW_HEIGHTS[view.density])}>
      {hasLeadingCell(props) && (
        <span className={cell}>
          <Skeleton className="size-4" />
        </span>
      )}
      {useShownColumns(props).map(({ id, align }, column) => (
        <span key={id} className={cell}>
          <Skeleton
            className={classes(
              'h-3.5 max-w-full',
              BAR_WIDTHS[column % BAR_WIDTHS.length],
              align === 'end' && 'ml-auto',
            )}
          />
        </span>
      ))}
      {props.actions && (
        <span className={cell}>
          <Skeleton className="ml-auto h-3.5 w-16" />
        </span>
      )}
    </div>
  )
}

interface CardSkeletonProps {
  readonly cards: number
  readonly hasActions: boolean
}

/** Skeleton of cards, with the heights of real cards. */
export const CardSkeleton = ({ cards, hasActions }: CardSkeletonProps) => (
  <ul aria-hidden className="grid grid-cols-1 gap-3">
    {Array.from({ length: cards }, (_, card) => `card-${card}`).map(key => (
      <li key={key} className="grid grid-cols-1 gap-3 rounded-card border border-line bg-surface p-3">
        <div className="flex h-10 justify-between">
          <div className="grid content-around">
            <Skeleton className="h-3.5 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="h-5.5 w-16" />
        </div>
        <div className="grid h-11 grid-cols-3 content-around gap-2">
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-4 w-18" />
          <Skeleton className="h-4 w-16" />
          <Skeleton className="h-4 w-14" />
        </div>
        {hasActions && (
          <div className="-mx-3 -mb-3 flex h-12.25 items-center justify-around border-t border-line">
            <Skeleton className="size-4" />
            <Skeleton className="size-4" />
            <Skeleton className="size-4" />
          </div>
        )}
      </li>
    ))}
  </ul>
)
