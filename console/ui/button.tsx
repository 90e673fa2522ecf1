import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { type ButtonLook, type ButtonSize, buttonClasses } from './button-classes.ts'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook
  readonly size?: ButtonSize
  readonly icon?: LucideIcon
  /** Shows a spinner and takes no clicks; the width stays. */
  readonly isBusy?: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button with words. Its type is `button` unless said otherwise, so that it never submits by accident. */
export function Button({
  look = 'default',
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
      className={classes(buttonClasses(look, size), isBusy && 'relative cursor-progress', className)}
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
