import { useEffect, useRef } from 'react'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

export interface FormError {
  /** The field's `name`. */
  readonly name: string
  readonly label: string
  readonly message: string
}

interface FormErrorsProps {
  readonly errors: readonly FormError[]
  /** Changes with every try to submit: then the summary takes the focus. */
  readonly attempt: number
  /** What the server said about the whole form. */
  readonly refusal?: string | undefined
}

/** What is wrong with a form, with links to its fields. Takes the focus after a refused submit. */
export function FormErrors({ errors, attempt, refusal }: FormErrorsProps) {
  const t = useText(kitText)
  const box = useRef<HTMLDivElement>(null)
  const hasContent = errors.length > 0 || refusal !== undefined
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
      {refusal !== undefined && <p>{refusal}</p>}
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

/** The id of the control of the field with this name. */
export const fieldId = (name: string): string => `field-${name}`
