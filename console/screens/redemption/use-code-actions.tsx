import { useCallback } from 'react'
import type { Redemption } from '#contract/redemptions.ts'
import { errorText } from '../../app/call-error.ts'
import { confirm } from '../../ui/confirm.ts'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { STATUS } from './code-state.ts'
import { useCodeWrites } from './queries.ts'
import { text } from './text.ts'

/** What can be done with one code. */
export function useCodeActions() {
  const t = useText(text)
  const k = useText(kitText)
  const { setStatus, remove } = useCodeWrites()
  const { mutateAsync: sendStatus } = setStatus
  const { mutateAsync: sendRemove } = remove

  const switchStatus = useCallback(
    async (code: Redemption, status: 1 | 2): Promise<void> => {
      try {
        await sendStatus({ id: code.id, status })
        const isOn = status === STATUS.unused
        const undo = () => void switchStatus(code, isOn ? STATUS.disabled : STATUS.unused)
        toast('success', t(isOn ? 'enabledToast' : 'disabledToast', { name: code.name }), {
          label: k('undo'),
          run: undo,
        })
      } catch (error) {
        toast('error', errorText(error))
      }
    },
    [sendStatus, t, k],
  )

  const toggle = useCallback(
    (code: Redemption) =>
      void switchStatus(code, code.status === STATUS.unused ? STATUS.disabled : STATUS.unused),
    [switchStatus],
  )

  const askDelete = useCallback(
    async (code: Redemption): Promise<boolean> => {
      const question = { title: t('deleteTitle', { name: code.name }), text: t('deleteText') }
      if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return false
      try {
        await sendRemove(code.id)
        toast('success', t('deletedToast', { name: code.name }))
        return true
      } catch (error) {
        toast('error', errorText(error))
        return false
      }
    },
    [sendRemove, t],
  )

  return { toggle, askDelete }
}
