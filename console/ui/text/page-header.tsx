import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** Number of records, shown beside the title. */
  readonly count?: string | undefined
  readonly children?: ReactNode
}

/** Title row of a page. The `h1` takes the focus when the page opens. */
export function PageHeader({ title, count, children }: PageHeaderProps) {
  return (
    <div className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <h1 tabIndex={-1} className="text-title font-semibold">
        {title}
        {count !== undefined && (
          <span className="ml-2 text-body font-normal text-subtle tabular">{count}</span>
        )}
      </h1>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  )
}
