import { Suspense } from 'react'
import { uncopiedText } from '../buttons/buttons.tsx'
import { lazyPart } from '../lazy-part.ts'
import { useStore } from '../store.ts'
import { useIsUsed } from '../use-is-used.ts'
import { pendingConfirm, Toaster } from './messages.tsx'

const confirmation = lazyPart(async () => (await import('./global-dialogs.tsx')).ConfirmDialog)
const tooltips = lazyPart(async () => (await import('./tooltip-layer.tsx')).TooltipLayer)
const uncopied = lazyPart(async () => (await import('./global-dialogs.tsx')).UncopiedDialog)

/** Renders global overlays: toasts, confirmations, tooltips and texts that could not be copied. Mounted once. */
export function OverlayHost() {
  const question = useStore(pendingConfirm)
  const text = useStore(uncopiedText)
  const isUsed = useIsUsed()
  return (
    <>
      <Toaster />
      <Suspense fallback={null}>{isUsed && <tooltips.Part />}</Suspense>
      <Suspense fallback={null}>
        {question && <confirmation.Part question={question} />}
        {text !== undefined && <uncopied.Part text={text} />}
      </Suspense>
    </>
  )
}
