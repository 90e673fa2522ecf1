import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
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
