import { useState } from 'react'
import { TextInput } from '../../../ui/forms/field.tsx'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { useText } from '../../../ui/text/text.ts'
import { figureOf } from './option-table.ts'
import { operationText } from './text.ts'

interface FigureInputProps {
  readonly label: string
  /** Undefined: there is none. */
  readonly value: number | undefined
  /** With what was typed, as soon as it is a figure; undefined when the box is empty and may be. */
  readonly onChange: (value: number | undefined) => void
  readonly isOptional?: boolean
  readonly placeholder?: string
}

/** A figure of a table, in its cell. What is no figure stays in the box and changes nothing. */
export function FigureInput({ label, value, onChange, isOptional = false, placeholder }: FigureInputProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? (value === undefined ? '' : String(value))
  const isEmptyFine = isOptional && shown.trim() === ''
  const isWrong = !isEmptyFine && figureOf(shown) === undefined
  const type = (next: string) => {
    setTyped(next)
    const figure = figureOf(next)
    if (figure !== undefined) onChange(figure)
    else if (isOptional && next.trim() === '') onChange(undefined)
  }
  return (
    <TextInput
      aria-label={label}
      aria-invalid={isWrong || undefined}
      inputMode="decimal"
      placeholder={placeholder}
      value={shown}
      onChange={event => type(event.target.value)}
      onBlur={() => setTyped(undefined)}
      className="tabular"
    />
  )
}

export type Look = 'table' | 'json'

interface EditorLookProps {
  readonly look: Look
  readonly onLook: (look: Look) => void
}

/** The choice between the visual editor and the JSON beside it. Changing between them keeps the content. */
export function EditorLook({ look, onLook }: EditorLookProps) {
  const t = useText(operationText)
  return (
    <div className="justify-self-start">
      <SegmentedChoice
        label={t('look')}
        value={look}
        options={[
          { value: 'table', label: t('asTable') },
          { value: 'json', label: t('asJson') },
        ]}
        onChange={onLook}
      />
    </div>
  )
}
