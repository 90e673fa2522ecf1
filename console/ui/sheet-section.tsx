import type { ReactNode } from 'react'

interface SheetSectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A titled group of fields in a sheet. */
export function SheetSection({ title, children }: SheetSectionProps) {
  return (
    <section
      aria-label={title}
      className="grid gap-5 not-first:mt-7 not-first:border-t not-first:border-line not-first:pt-6"
    >
      <h3 className="text-body font-semibold">{title}</h3>
      {children}
    </section>
  )
}
