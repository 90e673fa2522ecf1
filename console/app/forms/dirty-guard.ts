import { useBlocker } from '@tanstack/react-router'
import { confirm } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'

/**
 * Asks before unsaved input is lost: on close, Escape, Back, a link or leaving the page.
 * Navigation within the path `keptOn` keeps the form mounted, so it does not ask.
 */
export function useDirtyGuard(isDirty: boolean, keptOn?: string): void {
  const t = useKitText()
  const mayLeave = () =>
    confirm({
      title: t('discardTitle'),
      text: t('discardText'),
      action: t('discard'),
      cancelLabel: t('keepEditing'),
      isDanger: true,
    })
  useBlocker({
    shouldBlockFn: async ({ next }) => next.pathname !== keptOn && !(await mayLeave()),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
}
