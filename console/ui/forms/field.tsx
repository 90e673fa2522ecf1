import { CircleAlert, Eye, EyeOff } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../buttons/buttons.tsx'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'

/** Props that a `Field` passes to its control, to tie label, help and error to it. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

interface FieldProps {
  /** Name of the field in the form. The error summary links to it. */
  readonly name?: string
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  readonly isRequired?: boolean | undefined
  /** Shown at the end of the label's line, for example a counter. */
  readonly aside?: ReactNode
  readonly children: (control: ControlProps) => ReactNode
}

/** Label, control, help and error of one input, connected for screen readers. */
export function Field({ name, label, help, error, isRequired = false, aside, children }: FieldProps) {
  const t = useKitText()
  const ownId = useId()
  const id = name === undefined ? ownId : fieldId(name)
  const described = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div className="grid content-start gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-small font-medium">
          {label}
          {isRequired && <span className="ml-1.5 text-caption font-normal text-subtle">{t('required')}</span>}
        </label>
        {aside && <span className="text-caption text-muted tabular">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': isRequired ? true : undefined,
      })}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-caption text-danger">
          <CircleAlert size={14} aria-hidden className="mt-px shrink-0" />
          {error}
        </p>
      )}
      {help && (
        <div id={`${id}-help`} className="text-caption text-muted">
          {help}
        </div>
      )}
    </div>
  )
}

export interface FormError {
  /** `name` of the field. */
  readonly name: string
  readonly label: string
  readonly message: string
}

interface FormErrorsProps {
  readonly errors: readonly FormError[]
  /** Number of submit attempts. The summary takes the focus when it changes. */
  readonly attempt: number
  /** Server error about the whole form. */
  readonly serverError?: string | undefined
}

/** Error summary of a form, with links to its fields. Takes the focus after a rejected submit. */
export function FormErrors({ errors, attempt, serverError }: FormErrorsProps) {
  const t = useKitText()
  const box = useRef<HTMLDivElement>(null)
  const hasContent = errors.length > 0 || serverError !== undefined
  useEffect(() => {
    if (attempt > 0) box.current?.focus()
  }, [attempt])
  if (!hasContent || attempt === 0) return null
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="mb-5 rounded-card bg-danger-bg px-4 py-3 text-danger outline-none"
    >
      {serverError !== undefined && <p>{serverError}</p>}
      {errors.length > 0 && (
        <>
          <p className="font-medium">{t('errorSummary', { count: errors.length })}</p>
          <ul className="mt-1 grid gap-0.5">
            {errors.map(error => (
              <li key={error.name}>
                <button
                  type="button"
                  className="rounded-control text-left underline underline-offset-2"
                  onClick={() => document.getElementById(fieldId(error.name))?.focus()}
                >
                  {error.label}
                </button>
                : {error.message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Id of a field's control. */
export const fieldId = (name: string): string => `field-${name}`

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
