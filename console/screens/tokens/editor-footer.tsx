import { Trash2 } from 'lucide-react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import type { Token } from '#contract/tokens.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useTokenWrites } from './queries.ts'
import { text } from './text.ts'
import type { TokenFormValues } from './token-form-values.ts'
import type { Batch } from './use-batch.ts'

interface EditorFooterProps {
  /** Undefined for a new one. */
  readonly token: Token | undefined
  readonly batch: Batch
  readonly form: UseFormReturn<TokenFormValues>
  readonly onCancel: () => void
  readonly onSubmit: () => void
  readonly onDeleted: () => void
}

export function EditorFooter({ token, batch, form, onCancel, onSubmit, onDeleted }: EditorFooterProps) {
  const t = useText(text)
  const k = useText(kitText)
  const { remove } = useTokenWrites()
  const count = Number(useWatch({ control: form.control, name: 'count' }))
  const askDelete = async (doomed: Token) => {
    const question = { title: t('deleteTitle', { name: doomed.name }), text: t('deleteText') }
    if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
    await remove.mutateAsync(doomed.id)
    toast('success', t('deletedToast', { name: doomed.name }))
    onDeleted()
  }
  const words = token ? t('submitEdit') : count > 1 ? t('submitMany', { count }) : t('submitCreate')
  return (
    <>
      {token && (
        <Button look="danger-text" icon={Trash2} className="mr-auto" onClick={() => void askDelete(token)}>
          {t('delete')}
        </Button>
      )}
      <Button onClick={onCancel}>{k('cancel')}</Button>
      <Button
        look="primary"
        disabled={batch.failed.length > 0}
        isBusy={form.formState.isSubmitting || batch.isRunning}
        onClick={onSubmit}
      >
        {words}
      </Button>
    </>
  )
}
