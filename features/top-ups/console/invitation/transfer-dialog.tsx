import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { call, plainErrorText } from '#console/app/api/call.ts'
import { useMoney } from '#console/app/format/format.tsx'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { transferInvitationQuota } from '#features/account/contract.ts'
import { useInvitationText } from './text.ts'

interface TransferDialogProps {
  /** Quota that can be moved. */
  readonly maxQuota: number
  readonly onClose: () => void
}

/** Moves earnings into the balance, at least one dollar's worth of quota. */
export function TransferDialog({ maxQuota, onClose }: TransferDialogProps) {
  const t = useInvitationText()
  const form = useId()
  const { money, quotaPerUnit } = useMoney()
  const transfer = useTransfer()
  const [typed, setTyped] = useState(String(quotaPerUnit))
  const [error, setError] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const quota = Math.floor(Number(typed))
    if (!(quota >= quotaPerUnit)) return setError(t('transferLeast', { least: money(quotaPerUnit) }))
    if (quota > maxQuota) return setError(t('transferMost', { most: money(maxQuota) }))
    try {
      await transfer.mutateAsync(quota)
      toast('success', t('transferDone', { amount: money(quota) }))
      onClose()
    } catch (error) {
      setError(plainErrorText(error))
    }
  }
  return (
    <Dialog
      title={t('transferTitle')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: transfer.isPending, children: t('transfer') }}
    >
      <form id={form} noValidate className="grid gap-3" onSubmit={event => void submit(event)}>
        <Field label={t('transferAmount')} aside={`${t('pending')} ${money(maxQuota)}`} error={error}>
          {control => <MoneyInput {...control} value={typed} onChange={setTyped} />}
        </Field>
        <Presets
          label={t('transferAmount')}
          options={[{ value: maxQuota, label: t('transferAll') }]}
          onPick={quota => setTyped(String(quota))}
        />
      </form>
    </Dialog>
  )
}

/** Moves earnings into the balance and refetches both. */
export function useTransfer() {
  const client = useQueryClient()
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: (quota: number) => call(transferInvitationQuota, { body: { quota } }),
    onSettled: () =>
      Promise.all(['self', 'wallet'].map(key => client.invalidateQueries({ queryKey: [key] }))),
  })
}
