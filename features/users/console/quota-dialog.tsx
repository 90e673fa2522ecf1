import { useState } from 'react'
import { dollarsToQuota, useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
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
  const k = useKitText()
  const { exact, quotaPerUnit } = useMoney()
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
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button variant="primary" onClick={apply}>
            {t('quotaApply')}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-2">
          <Field
            label={t('quotaAmount')}
            help={t('quotaAmountHelp')}
            error={isSubmitted && problem ? t(problem) : undefined}
          >
            {control => <MoneyInput {...control} value={typed} onChange={setTyped} />}
          </Field>
          <Presets
            label={t('quotaPresets')}
            onPick={dollars => setTyped(String(dollarsToQuota(dollars, quotaPerUnit)))}
            options={DOLLARS.map(value => ({ value, label: value < 0 ? `−$${-value}` : `+$${value}` }))}
          />
        </div>
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
