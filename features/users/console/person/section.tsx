import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { WhenSeen } from '#console/ui/when-seen.tsx'

interface SectionProps {
  readonly title: string
  /** At the end of the title's line. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A part of the page. What it shows is asked for once the reader has scrolled near it. */
export const Section = ({ title, aside, children }: SectionProps) => (
  <section
    aria-label={title}
    className="grid min-w-0 content-start gap-3 rounded-card border border-line bg-surface p-4"
  >
    <div className="flex min-h-7 flex-wrap items-center justify-between gap-2">
      <h2 className="font-semibold">{title}</h2>
      {aside}
    </div>
    <WhenSeen placeholder={<Skeleton className="h-24 w-full" />}>{children}</WhenSeen>
  </section>
)

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/** What a query has found, or that it is loading, or why it could not. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  return data === undefined ? <Skeleton className="h-24 w-full" /> : children(data)
}

interface RowsProps<Row> {
  readonly rows: readonly Row[]
  readonly empty: string
  readonly idOf: (row: Row) => string | number
  readonly children: (row: Row) => ReactNode
}

/** A short list, one row below the other. */
export const Rows = <Row,>({ rows, empty, idOf, children }: RowsProps<Row>) =>
  rows.length === 0 ? (
    <p className="text-muted">{empty}</p>
  ) : (
    <ul className="divide-y divide-line">
      {rows.map(row => (
        <li key={idOf(row)} className="flex items-center gap-3 py-2">
          {children(row)}
        </li>
      ))}
    </ul>
  )
