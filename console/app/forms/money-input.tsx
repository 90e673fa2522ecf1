import { useState } from 'react'
import { type ControlProps, TextInput } from '../../ui/forms/fields.tsx'
import { useAppText } from '../app-text.ts'
import { dollarsToQuota, useMoney } from '../format/format.tsx'

interface MoneyInputProps extends Partial<ControlProps> {
  /** Whole quota units, as typed. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly disabled?: boolean
}

const DOLLAR_DIGITS = 6

/** Dollars of a quota, without trailing zeros. Empty when the quota is not a number. */
const dollarsText = (quota: string, perUnit: number): string => {
  const units = Number(quota)
  return quota.trim() === '' || !Number.isFinite(units)
    ? ''
    : String(Number((units / perUnit).toFixed(DOLLAR_DIGITS)))
}

/** An amount as quota and as dollars. Typing in one updates the other. */
export function MoneyInput({ value, onChange, onBlur, disabled = false, ...control }: MoneyInputProps) {
  const t = useAppText()
  const { quotaPerUnit } = useMoney()
  const [typed, setTyped] = useState<string>()
  const shared = { disabled, inputMode: 'decimal' as const, className: 'tabular min-w-0' }
  return (
    <div className="grid grid-cols-[3fr_2fr] gap-2">
      <TextInput
        {...control}
        {...shared}
        value={value}
        suffix={t('quotaUnits')}
        onChange={event => onChange(event.target.value)}
        onBlur={onBlur}
      />
      <TextInput
        {...shared}
        aria-label={t('inDollars')}
        prefix="$"
        value={typed ?? dollarsText(value, quotaPerUnit)}
        onFocus={() => setTyped(dollarsText(value, quotaPerUnit))}
        onBlur={() => {
          setTyped(undefined)
          onBlur?.()
        }}
        onChange={event => {
          setTyped(event.target.value)
          const dollars = Number(event.target.value)
          if (Number.isFinite(dollars)) onChange(String(dollarsToQuota(dollars, quotaPerUnit)))
        }}
      />
    </div>
  )
}
