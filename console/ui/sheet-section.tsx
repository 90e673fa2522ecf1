import type { ReactNode } from 'react'

interface SheetSectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A titled group of fields in a sheet. */
export function SheetSection({ title, children }: SheetSectionProps) {
  return (
    <section aria-label={title} className="grid gap-5 not-first:mt-8">
      <h3 className="text-body font-semibold">{title}</h3>
      {children}
    </section>
  )
}
