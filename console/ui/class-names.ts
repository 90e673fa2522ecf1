/** Joins class names and skips false and undefined ones. */
export const classes = (...names: ReadonlyArray<string | false | undefined>): string =>
  names.filter(Boolean).join(' ')

export type ButtonVariant = 'primary' | 'default' | 'ghost' | 'link' | 'danger' | 'danger-text'
export type ButtonSize = 'small' | 'normal' | 'large'

const VARIANT_CLASSES: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-primary text-on-primary enabled:hover:bg-primary-hover [a&]:hover:bg-primary-hover',
  default: 'bg-surface text-fg border border-line-strong enabled:hover:bg-hover [a&]:hover:bg-hover',
  ghost: 'text-fg enabled:hover:bg-hover [a&]:hover:bg-hover aria-expanded:bg-hover',
  link: 'text-accent enabled:hover:bg-hover [a&]:hover:bg-hover',
  danger: 'bg-danger-solid text-on-danger enabled:hover:bg-danger-solid-hover',
  'danger-text': 'text-danger enabled:hover:bg-danger-bg',
}

const SIZE_CLASSES: Readonly<Record<ButtonSize, string>> = {
  small: 'h-7 px-2.5 text-small gap-1.5',
  normal: 'h-9 px-3.5 text-body gap-2',
  large: 'h-11 px-5 text-body gap-2',
}

const SQUARE_CLASSES: Readonly<Record<ButtonSize, string>> = {
  small: 'size-7',
  normal: 'size-9',
  large: 'size-11',
}

const COMMON =
  'inline-flex shrink-0 items-center justify-center rounded-control font-medium whitespace-nowrap select-none touch-target transition-colors duration-100 disabled:opacity-55 aria-disabled:opacity-55'

/** Classes of a text button, also for links that look like buttons. */
export const buttonClasses = (variant: ButtonVariant = 'default', size: ButtonSize = 'normal'): string =>
  classes(COMMON, VARIANT_CLASSES[variant], SIZE_CLASSES[size])

/** Classes of a square icon button. */
export const iconButtonClasses = (variant: ButtonVariant = 'ghost', size: ButtonSize = 'normal'): string =>
  classes(COMMON, VARIANT_CLASSES[variant], SQUARE_CLASSES[size])

/** Classes of a text input, also for controls that look like one. */
export const inputClasses =
  'control-text h-9 w-full rounded-control border border-line-strong bg-surface px-2.5 text-fg text-ellipsis transition-colors duration-100 hover:border-muted disabled:opacity-55 disabled:hover:border-line-strong aria-invalid:border-danger coarse:h-11 [&[readonly]]:bg-sunken focus-visible:outline-offset-0'
