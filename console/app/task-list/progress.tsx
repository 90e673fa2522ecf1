import { ProgressBar } from '../../ui/feedback/feedback.tsx'

interface TaskProgressProps {
  readonly label: string
  /** The provider's text: `46%`, or empty. */
  readonly progress: string
  readonly status: string
}

/** Progress of a provider's task, as text and as a bar. */
export function TaskProgress({ label, progress, status }: TaskProgressProps) {
  const text = progress || '0%'
  return (
    <span className="inline-grid min-w-20 gap-1 tabular">
      {text}
      <ProgressBar label={label} share={progressShare(progress)} text={text} end={outcomeOf(status)} />
    </span>
  )
}

/** `46%` as 0.46; 0 when there is no percentage. */
export function progressShare(progress: string): number {
  const percent = Number.parseFloat(progress)
  return Number.isFinite(percent) ? Math.min(Math.max(percent / 100, 0), 1) : 0
}

/** Outcome of a provider's task. Undefined while it runs. */
export const outcomeOf = (status: string): 'succeeded' | 'failed' | undefined =>
  status === 'SUCCESS' ? 'succeeded' : status === 'FAILURE' ? 'failed' : undefined
