import { classes } from '../classes.ts'
import { kitText } from '../kit-text.ts'
import { Skeleton } from '../skeleton.tsx'
import { useText } from '../text.ts'
import { PHONE, useMedia } from '../use-media.ts'
import { CardSkeleton } from './card-skeleton.tsx'
import type { Density } from './column.ts'
import { ROW_HEIGHTS } from './row-heights.ts'

interface TableSkeletonProps {
  readonly rows: number
  readonly density: Density
  readonly hasActions: boolean
}

/** Holds the place of rows, or of cards on phones, while the first page is on its way. */
export function TableSkeleton({ rows, density, hasActions }: TableSkeletonProps) {
  const t = useText(kitText)
  const isPhone = useMedia(PHONE)
  return (
    <div role="status">
      <span className="sr-only">{t('loading')}</span>
      {isPhone ? (
        <CardSkeleton cards={rows} hasActions={hasActions} />
      ) : (
        <RowSkeleton rows={rows} density={density} />
      )}
    </div>
  )
}

const RowSkeleton = ({ rows, density }: Pick<TableSkeletonProps, 'rows' | 'density'>) => (
  <div aria-hidden className="overflow-hidden rounded-card border border-line bg-surface">
    <div className="h-9 border-b border-line bg-sunken" />
    {Array.from({ length: rows }, (_, row) => `row-${row}`).map(key => (
      <div
        key={key}
        className={classes(
          'flex items-center gap-6 border-b border-line px-3 last:border-b-0',
          ROW_HEIGHTS[density],
        )}
      >
        <Skeleton className="h-3.5 w-4" />
        <Skeleton className="h-3.5 w-32" />
        <Skeleton className="h-3.5 w-20" />
        <Skeleton className="h-3.5 flex-1" />
        <Skeleton className="h-3.5 w-24" />
      </div>
    ))}
  </div>
)
