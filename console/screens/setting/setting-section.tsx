import type { ReactNode } from 'react'

interface SettingSectionProps {
  readonly id: string
  readonly title: string
  readonly help?: string | undefined
  /** At the right end of the title. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A card of settings that belong together. */
export function SettingSection({ id, title, help, aside, children }: SettingSectionProps) {
  return (
    <section
      id={id}
      aria-label={title}
      className="scroll-mt-20 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      <div className="mb-4 flex flex-wrap items-start justify-between gap-2">
        <div>
          <h2 className="text-section font-semibold">{title}</h2>
          {help && <p className="mt-0.5 text-small text-muted">{help}</p>}
        </div>
        {aside}
      </div>
      <div className="grid grid-cols-1 gap-5">{children}</div>
    </section>
  )
}
