import { useState } from 'react'
import { formatNumber } from '#console/app/format/format.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { AmountField } from './quota-dialog.tsx'
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
  const language = useLanguage()
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
      confirm={{ onClick: apply, children: t('addQuota') }}
    >
      <div className="grid gap-4">
        <AmountField
          amount={amount}
          onAmount={setAmount}
          dollars={DOLLARS}
          error={isSubmitted && !isAmount ? t('quotaAmountBad') : undefined}
        />
        <InputField
          label={t('reason')}
          help={t('reasonHelp')}
          error={isSubmitted && reason.trim() === '' ? t('reasonNeeded') : undefined}
          value={reason}
          onChange={event => setReason(event.target.value)}
        />
      </div>
    </Dialog>
  )
}
