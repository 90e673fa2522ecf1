import { useState } from 'react'
import { SegmentedChoice, TextInput } from '../../ui/forms/fields.tsx'
import { parseAmount } from './option-table.ts'
import { useSettingsText } from './text.ts'

interface AmountInputProps {
  readonly label: string
  /** Undefined when there is none. */
  readonly value: number | undefined
  /** Called with every valid number, and with undefined when an optional field is emptied. */
  readonly onChange: (value: number | undefined) => void
  readonly isOptional?: boolean
  readonly placeholder?: string
}

/** Editable number in a table cell. Invalid input stays in the field and changes nothing. */
export function AmountInput({ label, value, onChange, isOptional = false, placeholder }: AmountInputProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? (value === undefined ? '' : String(value))
  const isEmptyFine = isOptional && shown.trim() === ''
  const isWrong = !isEmptyFine && parseAmount(shown) === undefined
  const type = (next: string) => {
    setTyped(next)
    const figure = parseAmount(next)
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

export type EditorMode = 'table' | 'json'

interface EditorModeChoiceProps {
  readonly mode: EditorMode
  readonly onMode: (look: EditorMode) => void
}

/** Switches between the visual editor and JSON. Both edit the same value. */
export function EditorModeChoice({ mode, onMode }: EditorModeChoiceProps) {
  const t = useSettingsText()
  return (
    <div className="justify-self-start">
      <SegmentedChoice
        label={t('look')}
        value={mode}
        options={[
          { value: 'table', label: t('asTable') },
          { value: 'json', label: t('asJson') },
        ]}
        onChange={onMode}
      />
    </div>
  )
}
