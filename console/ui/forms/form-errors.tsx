import { useEffect, useRef } from 'react'
import { useKitText } from '../text/kit-text.ts'
import { fieldId } from './fields.tsx'

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
