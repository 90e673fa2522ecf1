import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { ControlProps } from './control.ts'
import { fieldId } from './form-errors.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

interface FieldProps {
  /** The form's name of the field: the error summary leads to it. */
  readonly name?: string
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  readonly isRequired?: boolean | undefined
  /** Stands at the right end of the label's line: a counter, an equivalent amount. */
  readonly aside?: ReactNode
  readonly children: (control: ControlProps) => ReactNode
}

/** Label, control, help and error of one input, tied together for screen readers. */
export function Field({ name, label, help, error, isRequired = false, aside, children }: FieldProps) {
  const t = useText(kitText)
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
