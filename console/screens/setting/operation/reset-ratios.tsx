import { RotateCcw } from 'lucide-react'
import { Button } from '../../../ui/buttons/button.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { useResetRatios } from './queries.ts'
import { operationText } from './text.ts'

/** Puts the model ratios back to their defaults, after a question. */
export function ResetRatios() {
  const t = useText(operationText)
  const { reset: forget } = useOptionForm()
  const reset = useResetRatios()
  const ask = async () => {
    const question = { title: t('resetTitle'), text: t('resetText'), action: t('reset'), isDanger: true }
    if (!(await confirm(question))) return
    reset.mutate(undefined, {
      onSuccess: () => {
        forget('ModelRatio')
        toast('success', t('resetDone'))
      },
    })
  }
  return (
    <Button icon={RotateCcw} look="danger-text" isBusy={reset.isPending} onClick={() => void ask()}>
      {t('reset')}
    </Button>
  )
}
