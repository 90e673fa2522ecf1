import { useState } from 'react'
import { dollarsToQuota, formatNumber, useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { useScreenText } from './text.ts'

const DOLLARS = [1, 10, 50, 100, -1, -10, -100] as const
const WHOLE = /^-?\d{1,15}$/

interface BulkQuotaDialogProps {
  readonly count: number
  readonly onApply: (change: { readonly add_quota: number; readonly reason: string }) => void
  readonly onClose: () => void
}

/** Adds the same amount to the balance of many users, with the reason that the ledger keeps. */
export function BulkQuotaDialog({ count, onApply, onClose }: BulkQuotaDialogProps) {
  const t = useScreenText()
  const k = useKitText()
  const language = useLanguage()
  const { quotaPerUnit } = useMoney()
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const [isSubmitted, setSubmitted] = useState(false)
  const isAmount = WHOLE.test(amount.trim()) && Number(amount) !== 0
  const apply = () => {
    setSubmitted(true)
    if (isAmount && reason.trim() !== '') onApply({ add_quota: Number(amount), reason: reason.trim() })
  }
  return (
    <Dialog
      title={t('addQuotaTitle', { count: formatNumber(count, language) })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button variant="primary" onClick={apply}>
            {t('addQuota')}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-2">
          <Field
            label={t('quotaAmount')}
            help={t('quotaAmountHelp')}
            error={isSubmitted && !isAmount ? t('quotaAmountBad') : undefined}
          >
            {control => <MoneyInput {...control} value={amount} onChange={setAmount} />}
          </Field>
          <Presets
            label={t('quotaPresets')}
            onPick={dollars => setAmount(String(dollarsToQuota(dollars, quotaPerUnit)))}
            options={DOLLARS.map(value => ({ value, label: value < 0 ? `−$${-value}` : `+$${value}` }))}
          />
        </div>
        <Field
          label={t('reason')}
          help={t('reasonHelp')}
          error={isSubmitted && reason.trim() === '' ? t('reasonNeeded') : undefined}
        >
          {control => (
            <TextInput {...control} value={reason} onChange={event => setReason(event.target.value)} />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
