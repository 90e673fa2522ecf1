import { kitText } from '../kit-text.ts'
import { Skeleton } from '../skeleton.tsx'
import { useText } from '../text.ts'

/** Holds the table's place while its first page is on its way. */
export function TableSkeleton({ rows }: { readonly rows: number }) {
  const t = useText(kitText)
  return (
    <div role="status" className="overflow-hidden rounded-card border border-line bg-surface">
      <span className="sr-only">{t('loading')}</span>
      <div className="h-9 border-b border-line bg-sunken" />
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map(key => (
        <div key={key} className="flex h-11 items-center gap-6 border-b border-line px-3 last:border-b-0">
          <Skeleton className="h-3.5 w-4" />
          <Skeleton className="h-3.5 w-32" />
          <Skeleton className="h-3.5 w-20" />
          <Skeleton className="h-3.5 flex-1" />
          <Skeleton className="h-3.5 w-24" />
        </div>
      ))}
    </div>
  )
}
