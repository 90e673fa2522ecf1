import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { useOnboardingText } from './text.ts'

interface StepsPanelProps {
  readonly title: string
  readonly onDismiss: () => void
  /** The steps, each a `Step`. */
  readonly children: ReactNode
  /** Shown below the steps. */
  readonly footer?: ReactNode
  readonly columns: 'three' | 'four'
  /** The next step: the panel is a line with it until the reader unfolds all. */
  readonly next?: ReactNode
}

/** A dismissible checklist of first steps. */
export function StepsPanel({ title, onDismiss, children, footer, columns, next }: StepsPanelProps) {
  const t = useOnboardingText()
  const [isFolded, setFolded] = useState(next !== undefined)
  if (isFolded)
    return (
      <section
        aria-label={title}
        className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-line bg-surface px-4 py-1.5"
      >
        <h2 className="mr-auto text-small font-medium">{title}</h2>
        {next}
        <Button variant="ghost" size="small" onClick={() => setFolded(false)}>
          {t('showSteps')}
        </Button>
        <Button variant="ghost" size="small" onClick={onDismiss}>
          {t('hideSteps')}
        </Button>
      </section>
    )
  return (
    <section aria-label={title} className="mb-4 rounded-card border border-line bg-surface p-4">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="text-section font-semibold">{title}</h2>
        <Button variant="ghost" size="small" onClick={onDismiss}>
          {t('hideSteps')}
        </Button>
      </div>
      <ol
        className={classes(
          'grid gap-4',
          columns === 'three' ? 'lg:grid-cols-3' : 'sm:grid-cols-2 xl:grid-cols-4',
        )}
      >
        {children}
      </ol>
      {footer && <div className="mt-4 min-w-0">{footer}</div>}
    </section>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  /** The action of the step, hidden once the step is done. */
  readonly children: ReactNode
}

export function Step({ number, title, text: help, isDone, children }: StepProps) {
  const t = useOnboardingText()
  return (
    <li className="flex gap-3">
      <span
        className={classes(
          'flex size-6 shrink-0 items-center justify-center rounded-full text-caption font-semibold',
          isDone ? 'bg-success-bg text-success' : 'bg-selected text-accent',
        )}
      >
        {isDone ? <Check size={14} aria-label={t('done')} /> : number}
      </span>
      <div className="grid content-start justify-items-start gap-1.5">
        <div>
          <p className="font-medium">{title}</p>
          <p className="text-small text-muted">{help}</p>
        </div>
        {!isDone && children}
      </div>
    </li>
  )
}
