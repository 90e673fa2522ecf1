import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { useOnboardingText } from './text.ts'

const COLUMNS = { three: 'lg:grid-cols-3', four: 'sm:grid-cols-2 xl:grid-cols-4' }

interface StepsPanelProps {
  readonly title: string
  readonly onDismiss: () => void
  /** The steps, each a `Step`. */
  readonly children: ReactNode
  /** Shown below the steps. */
  readonly footer?: ReactNode
  readonly columns: keyof typeof COLUMNS
  /** The next step: the panel is a line with it until the reader unfolds all. */
  readonly next?: ReactNode
}

/** A dismissible checklist of first steps. */
export function StepsPanel({ title, onDismiss, children, footer, columns, next }: StepsPanelProps) {
  const t = useOnboardingText()
  const [isFolded, setFolded] = useState(next !== undefined)
  return (
    <section aria-label={title} className="mb-4 rounded-card border border-line bg-surface px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3">
        <h2 className="mr-auto font-semibold">{title}</h2>
        {isFolded && next}
        <Button variant="ghost" size="small" onClick={isFolded ? () => setFolded(false) : onDismiss}>
          {t(isFolded ? 'showSteps' : 'hideSteps')}
        </Button>
      </div>
      {!isFolded && <ol className={`grid gap-4 py-2 ${COLUMNS[columns]}`}>{children}</ol>}
      {!isFolded && footer && <div className="my-2 min-w-0">{footer}</div>}
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
