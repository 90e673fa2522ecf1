import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../buttons/button.tsx'
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
