import { type ReactNode, useId } from 'react'

interface PanelProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A titled card of the wallet. `aside` is placed at the end of the title line. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-card border border-line bg-surface p-4 sm:p-5">
      <div className="mb-4 flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id={id} className="text-section font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
