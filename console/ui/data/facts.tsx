import type { ReactNode } from 'react'
import { Skeleton } from '../feedback/feedback.tsx'

interface KeyValue {
  readonly label: string
  readonly value: ReactNode
}

/** Two-column list of labels and values. */
export function KeyValues({ items }: { readonly items: readonly KeyValue[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1.5 text-small">
      {items.map(({ label, value }) => (
        <div key={label} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface StatCardProps {
  readonly label: ReactNode
  /** Undefined while loading. */
  readonly value: ReactNode | undefined
  /** Tooltip, for example the exact value. */
  readonly hint?: string | undefined
  /** Line below the value, for example the change. */
  readonly note?: ReactNode
  /** Graph at the bottom of the card. */
  readonly graph?: ReactNode
}

/** A key figure. */
export const StatCard = ({ label, value, hint, note, graph }: StatCardProps) => (
  <div
    className="min-w-0 rounded-card border border-line bg-surface px-3 py-2.5 lg:px-4 lg:py-3"
    title={hint}
  >
    <dt className="truncate text-caption text-muted">{label}</dt>
    <dd className="mt-0.5 text-title font-semibold [overflow-wrap:anywhere] tabular">
      {value === undefined ? <Skeleton className="my-1 h-5 w-20" /> : value}
    </dd>
    {note && <dd className="mt-0.5 min-h-4 text-caption text-balance text-muted">{note}</dd>}
    {graph && <dd className="mt-2">{graph}</dd>}
  </div>
)
