import type { InputHTMLAttributes, ReactNode, Ref } from 'react'
import { classes } from './classes.ts'
import { inputClasses } from './control.ts'

interface TextInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly isMono?: boolean
  /** Shown inside the frame, before and after the text. */
  readonly prefix?: string
  readonly suffix?: ReactNode
  readonly ref?: Ref<HTMLInputElement>
}

/** One line of text. The browser fills nothing in unless `autoComplete` says what. */
export function TextInput({ isMono = false, prefix, suffix, className, ...rest }: TextInputProps) {
  const input = (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classes(
        inputClasses,
        isMono && 'font-mono',
        prefix !== undefined && 'rounded-l-none',
        suffix !== undefined && 'rounded-r-none',
        className,
      )}
    />
  )
  if (prefix === undefined && suffix === undefined) return input
  const frame = 'flex shrink-0 items-center border border-line-strong bg-sunken px-2.5 text-small text-muted'
  return (
    <div className="flex">
      {prefix !== undefined && (
        <span className={classes(frame, 'rounded-l-control border-r-0')}>{prefix}</span>
      )}
      {input}
      {suffix !== undefined && (
        <span className={classes(frame, 'rounded-r-control border-l-0')}>{suffix}</span>
      )}
    </div>
  )
}
