import { type InputHTMLAttributes, type Ref, useId } from 'react'

interface SwitchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  readonly label: string
  readonly help?: string
  readonly ref?: Ref<HTMLInputElement>
}

/** On or off, taking effect at once or with its form. The label and help are part of it. */
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
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked
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
