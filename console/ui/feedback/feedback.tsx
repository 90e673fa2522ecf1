import {
  CircleAlert,
  CircleCheck,
  Info,
  type LucideIcon,
  Plus,
  SearchX,
  TriangleAlert,
  X,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../buttons/buttons.tsx'
import { classes } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'

export type BannerTone = 'info' | 'warning' | 'danger' | 'success'

const TONES: Readonly<Record<BannerTone, readonly [string, LucideIcon]>> = {
  info: ['bg-info-bg text-info', Info],
  warning: ['bg-warning-bg text-warning', TriangleAlert],
  danger: ['bg-danger-bg text-danger', CircleAlert],
  success: ['bg-success-bg text-success', CircleCheck],
}

interface BannerProps {
  readonly tone: BannerTone
  readonly children: ReactNode
  readonly action?: ReactNode
  readonly onClose?: () => void
  /** Screen readers announce it immediately. */
  readonly isAlert?: boolean
}

/** A persistent message above the content it concerns. */
export function Banner({ tone, children, action, onClose, isAlert = false }: BannerProps) {
  const t = useKitText()
  const [look, Icon] = TONES[tone]
  return (
    <div
      role={isAlert ? 'alert' : undefined}
      className={classes('flex items-start gap-2.5 rounded-card px-4 py-2.5', look)}
    >
      <Icon size={17} aria-hidden className="mt-[1.5px] shrink-0" />
      <div className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1.5">
        <div className="min-w-0 flex-[1_1_16rem]">{children}</div>
        {action}
      </div>
      {onClose && (
        <IconButton
          label={t('close')}
          icon={X}
          size="small"
          hasTooltip={false}
          className="-my-1 -mr-2 text-current"
          onClick={onClose}
        />
      )}
    </div>
  )
}

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

interface EmptyListProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  /** Label of the create button. */
  readonly add: string
  readonly onAdd: () => void
  /** Shown below, for example a snippet. */
  readonly children?: ReactNode
}

/** Empty state of a list without any records. */
export const EmptyList = ({ icon, title, text, add, onAdd, children }: EmptyListProps) => (
  <EmptyState
    icon={icon}
    title={title}
    text={text}
    action={
      <Button variant="primary" icon={Plus} onClick={onAdd}>
        {add}
      </Button>
    }
  >
    {children}
  </EmptyState>
)

interface NoResultsProps {
  readonly title: string
  readonly text?: string
  /** Label of the button that clears the filters. */
  readonly clear: string
  readonly onClear: () => void
}

/** Empty state of a list whose filters match nothing. */
export const NoResults = ({ title, text, clear, onClear }: NoResultsProps) => (
  <EmptyState icon={SearchX} title={title} text={text} action={<Button onClick={onClear}>{clear}</Button>} />
)

interface MeterProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** For screen readers: "$3.10 of $10.00". */
  readonly text: string
}

const HIGH = 0.8
const FULL = 0.95

/** Shows how much of a limit is used. */
export function Meter({ label, share, text }: MeterProps) {
  const filled = Math.min(Math.max(share, 0), 1)
  const colour = filled >= FULL ? 'bg-danger-solid' : filled >= HIGH ? 'bg-series-2' : 'bg-primary'
  return (
    // biome-ignore lint/a11y/useSemanticElements: the native meter cannot be styled consistently
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(filled * 100)}
      aria-valuetext={text}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg"
    >
      <span className={classes('block h-full rounded-full', colour)} style={{ width: `${filled * 100}%` }} />
    </span>
  )
}

interface ProgressBarProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** For screen readers: "46%". */
  readonly text: string
  /** The outcome, once the task has ended. */
  readonly end?: 'succeeded' | 'failed' | undefined
}

const COLOURS = { succeeded: 'bg-success', failed: 'bg-danger-solid' } as const

/** Progress of a running task. */
export function ProgressBar({ label, share, text, end }: ProgressBarProps) {
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100)
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg"
    >
      <span
        className={classes('block h-full rounded-full', end ? COLOURS[end] : 'bg-primary')}
        style={{ width: `${percent}%` }}
      />
    </span>
  )
}

/** Placeholder of loading content. Give it the size of the content. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span aria-hidden className={classes('block animate-pulse rounded-control bg-neutral-bg', className)} />
  )
}

/** A line at the upper edge while something loads, after a moment, so that what is fast shows none. */
export const ProgressLine = () => (
  <div aria-hidden className="absolute inset-x-0 top-0 z-20 h-0.5 overflow-hidden rounded-full">
    <div className="progress-line h-full w-1/3 bg-primary" />
  </div>
)
