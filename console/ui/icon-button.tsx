import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { type ButtonLook, type ButtonSize, iconButtonClasses } from './button-classes.ts'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Its name for screen readers, shown as a tooltip. */
  readonly label: string
  readonly icon: LucideIcon
  readonly look?: ButtonLook
  readonly size?: ButtonSize
  readonly isBusy?: boolean
  /** Shown after the name in the tooltip. */
  readonly shortcut?: string
  /** No tooltip where the name stands beside it. */
  readonly hasTooltip?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

/** A square button that shows only an icon; its name is required. */
export function IconButton(props: IconButtonProps) {
  const {
    label,
    icon: Icon,
    look = 'ghost',
    size = 'normal',
    isBusy = false,
    shortcut,
    hasTooltip = true,
    ...rest
  } = props
  const { className, type = 'button', disabled, ...attributes } = rest
  return (
    <button
      {...attributes}
      type={type}
      disabled={disabled || isBusy}
      aria-label={label}
      aria-busy={isBusy || undefined}
      data-tooltip={hasTooltip ? label : undefined}
      data-shortcut={shortcut}
      className={classes(
        iconButtonClasses(look, size),
        look === 'ghost' && 'text-muted enabled:hover:text-fg',
        className,
      )}
    >
      {isBusy ? <Spinner /> : <Icon size={size === 'small' ? 15 : 17} aria-hidden />}
    </button>
  )
}
