import { useState } from 'react'
import { dollarsToQuota, useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { findAmountProblem } from './form-schema.ts'
import { useScreenText } from './text.ts'

const DOLLARS = [1, 10, 50, 100, 500, 1000, -1, -10, -100] as const

interface QuotaDialogProps {
  readonly name: string
  readonly balance: number
  readonly onAdd: (balance: number) => void
  readonly onClose: () => void
}

/** Adds to or subtracts from a balance and previews the result. */
export function QuotaDialog({ name, balance, onAdd, onClose }: QuotaDialogProps) {
  const t = useScreenText()
  const { exact } = useMoney()
  const [typed, setTyped] = useState('')
  const [isSubmitted, setSubmitted] = useState(false)
  const problem = findAmountProblem(typed, balance)
  const apply = () => {
    setSubmitted(true)
    if (!problem) onAdd(balance + Number(typed))
  }
  return (
    <Dialog
      title={t('quotaTitle', { name })}
      onClose={onClose}
      confirm={{ onClick: apply, children: t('quotaApply') }}
    >
      <div className="grid gap-4">
        <AmountField
          amount={typed}
          onAmount={setTyped}
          dollars={DOLLARS}
          error={isSubmitted && problem ? t(problem) : undefined}
        />
        <div aria-live="polite" className="rounded-card bg-sunken px-3 py-2.5">
          <KeyValues
            items={[
              { label: t('quotaNow'), value: exact(balance) },
              {
                label: t('quotaThen'),
                value: <strong>{problem ? '-' : exact(balance + Number(typed))}</strong>,
              },
            ]}
          />
        </div>
      </div>
    </Dialog>
  )
}

/** An amount in quota units, with amounts in dollars to pick. */
export function AmountField({ amount, onAmount, dollars, error }: AmountFieldProps) {
  const t = useScreenText()
  const { quotaPerUnit } = useMoney()
  return (
    <div className="grid gap-2">
      <Field label={t('quotaAmount')} help={t('quotaAmountHelp')} error={error}>
        {control => <MoneyInput {...control} value={amount} onChange={onAmount} />}
      </Field>
      <Presets
        label={t('quotaPresets')}
        onPick={value => onAmount(String(dollarsToQuota(value, quotaPerUnit)))}
        options={dollars.map(value => ({ value, label: value < 0 ? `−$${-value}` : `+$${value}` }))}
      />
    </div>
  )
}

interface AmountFieldProps {
  readonly amount: string
  readonly onAmount: (amount: string) => void
  readonly dollars: readonly number[]
  readonly error: string | undefined
}
