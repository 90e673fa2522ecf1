import type { ReactNode } from 'react'

interface KitSectionProps {
  readonly title: string
  readonly children: ReactNode
}

export const KitSection = ({ title, children }: KitSectionProps) => (
  <section aria-label={title} className="grid gap-4 rounded-card border border-line bg-surface p-5">
    <h2 className="text-section font-semibold">{title}</h2>
    {children}
  </section>
)
