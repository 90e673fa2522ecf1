/** What a `Field` gives to its control, so that label, help and error are tied to it. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

export const inputClasses =
  'control-text h-9 w-full rounded-control border border-line-strong bg-surface px-2.5 text-fg transition-colors duration-100 hover:border-muted disabled:opacity-55 disabled:hover:border-line-strong aria-invalid:border-danger coarse:h-11 [&[readonly]]:bg-sunken focus-visible:outline-offset-0'
