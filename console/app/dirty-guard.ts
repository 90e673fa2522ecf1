import { useBlocker } from '@tanstack/react-router'
import { confirm } from '../ui/confirm.ts'
import { kitText } from '../ui/kit-text.ts'
import { useText } from '../ui/text.ts'

/** Asks before unsaved input is lost: by closing, Escape, Back, a link, or leaving the page. */
export function useDirtyGuard(isDirty: boolean): void {
  const t = useText(kitText)
  const mayLeave = () =>
    confirm({
      title: t('discardTitle'),
      text: t('discardText'),
      action: t('discard'),
      otherwise: t('keepEditing'),
      isDanger: true,
    })
  useBlocker({
    shouldBlockFn: async () => !(await mayLeave()),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
}
