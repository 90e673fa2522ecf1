import { useBlocker } from '@tanstack/react-router'
import { confirm } from '../../ui/overlays/confirm.ts'
import { useKitText } from '../../ui/text/kit-text.ts'

/**
 * Asks before unsaved input is lost: by closing, Escape, Back, a link, or leaving the page.
 * Input that stands on a whole page is not lost while the path stays `keptOn`.
 */
export function useDirtyGuard(isDirty: boolean, keptOn?: string): void {
  const t = useKitText()
  const mayLeave = () =>
    confirm({
      title: t('discardTitle'),
      text: t('discardText'),
      action: t('discard'),
      otherwise: t('keepEditing'),
      isDanger: true,
    })
  useBlocker({
    shouldBlockFn: async ({ next }) => next.pathname !== keptOn && !(await mayLeave()),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
}
