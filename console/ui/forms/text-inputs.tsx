import { Eye, EyeOff } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useState,
} from 'react'
import { IconButton } from '../buttons/button.tsx'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'

interface TextInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly isMono?: boolean
  /** Shown inside the border, before and after the text. */
  readonly prefix?: string
  readonly suffix?: ReactNode
  readonly ref?: Ref<HTMLInputElement>
}

/** Single-line text. Autofill is off unless `autoComplete` is set. */
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

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly isMono?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
}

export function TextArea({ isMono = false, rows = 4, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={false}
      rows={rows}
      {...rest}
      className={classes(
        inputClasses,
        'h-auto coarse:h-auto resize-y py-2',
        isMono && 'font-mono text-small',
        className,
      )}
    />
  )
}

interface PasswordInputProps extends InputHTMLAttributes<HTMLInputElement> {
  /** Required for password managers. */
  readonly autoComplete: 'current-password' | 'new-password'
  readonly ref?: Ref<HTMLInputElement>
}

export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const t = useKitText()
  const [isShown, setShown] = useState(false)
  return (
    <div className="relative">
      <input
        spellCheck={false}
        {...rest}
        type={isShown ? 'text' : 'password'}
        className={`${inputClasses} pr-10 ${className ?? ''}`}
      />
      <IconButton
        label={isShown ? t('hide') : t('show')}
        aria-pressed={isShown}
        icon={isShown ? EyeOff : Eye}
        size="small"
        className="absolute top-1/2 right-1 -translate-y-1/2"
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}
