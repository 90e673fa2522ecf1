import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '#console/ui/class-names.ts'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { useScreenText } from './text.ts'
import type { LogUrl } from './view.ts'

const SPLITS = { outcome: 'byOutcome', model: 'byModel', error: 'byError' } as const

interface ChartPanelProps {
  readonly url: LogUrl
  readonly label: string
  readonly title: string
  /** Shown after the choice of the view. */
  readonly tools?: ReactNode
  readonly children: ReactNode
}

/** The panel above the table with the choice between its views: requests by outcome, by model, or errors. */
export function ChartPanel({ url: { search, set }, label, title, tools, children }: ChartPanelProps) {
  const t = useScreenText()
  return (
    <section aria-label={label} className="mb-4 rounded-card border border-line bg-surface px-4 pt-2.5 pb-2">
      <div className="mb-2 flex min-h-7 items-center gap-1">
        <h2 className="mr-auto text-small font-medium">{title}</h2>
        {(['outcome', 'model', 'error'] as const).map(split => (
          <button
            key={split}
            type="button"
            aria-pressed={search.split === split}
            onClick={() => set({ split })}
            className={classes(
              buttonClasses('ghost', 'small'),
              search.split === split ? 'bg-selected text-accent' : 'text-muted',
            )}
          >
            {t(SPLITS[split])}
          </button>
        ))}
        {tools}
      </div>
      {children}
    </section>
  )
}

interface ChartMessageProps {
  readonly icon: LucideIcon
  readonly children: string
}

/** Takes the place of an empty chart. */
export const ChartMessage = ({ icon: Icon, children }: ChartMessageProps) => (
  <div className="flex h-31 items-center justify-center gap-2 text-small text-muted">
    <Icon size={16} aria-hidden />
    {children}
  </div>
)

interface ChartRetryProps {
  readonly isBusy: boolean
  readonly onRetry: () => void
}

export function ChartRetry({ isBusy, onRetry }: ChartRetryProps) {
  const kit = useKitText()
  return (
    <div className="flex h-31 flex-col items-center justify-center gap-2 text-small text-muted">
      {kit('loadFailed')}
      <Button size="small" isBusy={isBusy} onClick={onRetry}>
        {kit('retry')}
      </Button>
    </div>
  )
}
