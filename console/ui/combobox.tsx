import { Combobox as Base } from '@base-ui/react/combobox'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { ComboboxList, ComboboxTick, comboboxItemClasses, leaveEscape } from './combobox-list.tsx'
import { type ControlProps, inputClasses } from './control.ts'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

export interface ComboboxOption {
  readonly value: string
  readonly label: string
  /** A second line in the list. */
  readonly hint?: string
  /** At the right end in the list. */
  readonly badge?: ReactNode
  readonly icon?: ReactNode
}

interface ComboboxProps extends Partial<ControlProps> {
  readonly options: readonly ComboboxOption[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
}

/** One of many, found by typing. */
export function Combobox({
  options,
  value,
  onChange,
  onBlur,
  placeholder,
  disabled = false,
  ...control
}: ComboboxProps) {
  const t = useText(kitText)
  const chosen = useChosen(options, value)
  return (
    <Base.Root
      autoComplete="off"
      items={options}
      value={chosen}
      disabled={disabled}
      isItemEqualToValue={(a: ComboboxOption, b: ComboboxOption) => a.value === b.value}
      filter={isMatch}
      onValueChange={(option: ComboboxOption | null) => option && onChange(option.value)}
    >
      <Base.InputGroup className="relative">
        <Base.Input
          {...control}
          {...(placeholder ? { placeholder } : {})}
          onBlur={onBlur}
          onKeyDown={leaveEscape}
          className={`${inputClasses} pr-9`}
        />
        <Base.Trigger
          aria-label={t('show')}
          tabIndex={-1}
          className="absolute inset-y-0 right-0 flex w-9 items-center justify-center text-muted"
        >
          <ChevronDown size={15} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <ComboboxList<ComboboxOption>>
        {option => (
          <Base.Item key={option.value} value={option} className={comboboxItemClasses}>
            <ComboboxTick />
            {option.icon}
            <span className="min-w-0 flex-1">
              <span className="block truncate">{option.label}</span>
              {option.hint && <span className="block truncate text-caption text-muted">{option.hint}</span>}
            </span>
            {option.badge}
          </Base.Item>
        )}
      </ComboboxList>
    </Base.Root>
  )
}

/** The same object as long as it says the same: another one would put its label where the reader is typing. */
function useChosen(options: readonly ComboboxOption[], value: string): ComboboxOption | null {
  const label = options.find(option => option.value === value)?.label ?? (value || undefined)
  return useMemo(() => (label === undefined ? null : { value, label }), [value, label])
}

/** What is typed may stand in the name, in the second line, or in the value. */
const isMatch = ({ label, hint = '', value }: ComboboxOption, typed: string): boolean =>
  `${label} ${hint} ${value}`.toLowerCase().includes(typed.trim().toLowerCase())
