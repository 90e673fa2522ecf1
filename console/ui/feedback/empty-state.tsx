import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text?: ReactNode
  /** The primary action. */
  readonly action?: ReactNode
  /** Shown below, for example a link or a snippet. */
  readonly children?: ReactNode
}

/** Placeholder of a page or list without content: the reason and the next step. */
export function EmptyState({ icon: Icon, title, text, action, children }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-105 flex-col items-center px-4 py-12 text-center">
      <span className="mb-4 flex size-12 items-center justify-center rounded-dialog bg-neutral-bg text-muted">
        <Icon size={24} strokeWidth={1.75} aria-hidden />
      </span>
      <h2 className="text-section font-semibold text-balance">{title}</h2>
      {text && <p className="mt-1 text-body text-pretty text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
      {children && <div className="mt-6 w-full text-left">{children}</div>}
    </div>
  )
}
