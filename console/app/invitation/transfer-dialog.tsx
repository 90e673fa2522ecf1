import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { Presets } from '../../ui/presets.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { plainErrorText } from '../call-error.ts'
import { MoneyInput } from '../money-input.tsx'
import { useMoney } from '../use-money.ts'
import { invitationText } from './invitation-text.ts'
import { useTransfer } from './queries.ts'

interface TransferDialogProps {
  /** Units that wait to be moved. */
  readonly most: number
  readonly onClose: () => void
}

/** Moves earnings into the balance, one dollar's worth at least. */
export function TransferDialog({ most, onClose }: TransferDialogProps) {
  const t = useText(invitationText)
  const k = useText(kitText)
  const form = useId()
  const { money, quotaPerUnit } = useMoney()
  const transfer = useTransfer()
  const [typed, setTyped] = useState(String(quotaPerUnit))
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const quota = Math.floor(Number(typed))
    if (!(quota >= quotaPerUnit)) return setProblem(t('transferLeast', { least: money(quotaPerUnit) }))
    if (quota > most) return setProblem(t('transferMost', { most: money(most) }))
    try {
      await transfer.mutateAsync(quota)
      toast('success', t('transferDone', { amount: money(quota) }))
      onClose()
    } catch (error) {
      setProblem(plainErrorText(error))
    }
  }
  return (
    <Dialog
      title={t('transferTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={form} look="primary" isBusy={transfer.isPending}>
            {t('transfer')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-3" onSubmit={event => void submit(event)}>
        <Field label={t('transferAmount')} aside={`${t('pending')} ${money(most)}`} error={problem}>
          {control => <MoneyInput {...control} value={typed} onChange={setTyped} />}
        </Field>
        <Presets
          label={t('transferAmount')}
          options={[{ value: most, label: t('transferAll') }]}
          onPick={quota => setTyped(String(quota))}
        />
      </form>
    </Dialog>
  )
}
