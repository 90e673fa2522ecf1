import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import {
  type ButtonSize,
  type ButtonVariant,
  buttonClasses,
  classes,
  iconButtonClasses,
} from '../class-names.ts'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly icon?: LucideIcon
  /** Shows a spinner and ignores clicks. The width does not change. */
  readonly isBusy?: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/** A text button. Its type defaults to `button`, so that it does not submit a form by accident. */
export function Button({
  variant = 'default',
  size = 'normal',
  icon: Icon,
  isBusy = false,
  ...rest
}: ButtonProps) {
  const { children, className, onClick, type = 'button', ...attributes } = rest
  return (
    <button
      {...attributes}
      type={type}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? event => event.preventDefault() : onClick}
      className={classes(buttonClasses(variant, size), isBusy && 'relative cursor-progress', className)}
    >
      {isBusy && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Spinner />
        </span>
      )}
      {Icon && <Icon size={16} aria-hidden className={classes(isBusy && 'invisible')} />}
      <span className={classes(isBusy && 'opacity-0')}>{children}</span>
    </button>
  )
}

/** Decorative: put the loading text beside it. */
export function Spinner({ size = 16 }: { readonly size?: number }) {
  return <LoaderCircle size={size} aria-hidden className="animate-spin" />
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Accessible name, also shown as a tooltip. */
  readonly label: string
  readonly icon: LucideIcon
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly isBusy?: boolean
  /** Shown after the label in the tooltip. */
  readonly shortcut?: string
  /** False where the label is visible beside the button. */
  readonly hasTooltip?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

/** A square button with only an icon. The label is required for screen readers. */
export function IconButton(props: IconButtonProps) {
  const {
    label,
    icon: Icon,
    variant = 'ghost',
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
        iconButtonClasses(variant, size),
        variant === 'ghost' && 'text-muted enabled:hover:text-fg',
        className,
      )}
    >
      {isBusy ? <Spinner /> : <Icon size={size === 'small' ? 15 : 17} aria-hidden />}
    </button>
  )
}
