import { Check, Minus } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, useEffect, useId, useRef } from 'react'
import { classes } from '../class-names.ts'

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  /** Indeterminate: some of the items are checked. */
  readonly isMixed?: boolean
  /** Label. Without it, the checkbox needs an `aria-label`. */
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

interface SwitchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  readonly label: string
  readonly help?: string
  readonly ref?: Ref<HTMLInputElement>
}

/** A switch with its label and help. */
export function Switch({ label, help, ...rest }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="grid gap-0.5">
        <label htmlFor={id} className="cursor-pointer text-small font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-caption text-muted">
            {help}
          </p>
        )}
      </div>
      <span className="relative inline-flex h-5 w-9 shrink-0">
        <input
          {...rest}
          id={id}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its checked state natively
          role="switch"
          aria-describedby={help ? `${id}-help` : undefined}
          className="peer h-5 w-9 cursor-pointer touch-target appearance-none rounded-full bg-line-strong transition-colors duration-100 checked:bg-primary disabled:cursor-not-allowed disabled:opacity-55"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-surface shadow-sm transition-transform duration-100 peer-checked:translate-x-4 dark:peer-checked:bg-on-primary"
        />
      </span>
    </div>
  )
}
