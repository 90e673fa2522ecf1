import { Check, Minus } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  /** Some of what it stands for is on. */
  readonly isMixed?: boolean
  /** Words beside it; without them it needs an `aria-label`. */
  readonly children?: ReactNode
}

export function Checkbox({ isMixed = false, children, className, ...rest }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current) input.current.indeterminate = isMixed
  }, [isMixed])
  const box = (
    <span
      className={classes(
        'relative inline-flex size-4 shrink-0 align-middle',
        children === undefined && className,
      )}
    >
      <input
        {...rest}
        ref={input}
        type="checkbox"
        className="peer size-4 cursor-pointer touch-target appearance-none rounded-[4px] border border-line-strong bg-surface checked:border-primary checked:bg-primary indeterminate:border-primary indeterminate:bg-primary hover:border-muted disabled:cursor-not-allowed disabled:opacity-55"
      />
      <Check
        size={12}
        strokeWidth={3}
        aria-hidden
        className="pointer-events-none absolute inset-0 m-auto text-on-primary opacity-0 peer-checked:opacity-100 peer-indeterminate:opacity-0"
      />
      <Minus
        size={12}
        strokeWidth={3}
        aria-hidden
        className="pointer-events-none absolute inset-0 m-auto text-on-primary opacity-0 peer-indeterminate:opacity-100"
      />
    </span>
  )
  if (children === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box above is the control
    <label className={classes('flex cursor-pointer items-center gap-2 text-body', className)}>
      {box}
      {children}
    </label>
  )
}
