import { Suspense } from 'react'
import { openQuestion } from './confirm.ts'
import { uncopiedText } from './copy-text.ts'
import { useStore } from './create-store.ts'
import { lazyPart } from './lazy-part.ts'
import { Toaster } from './toaster.tsx'

const confirmation = lazyPart(async () => (await import('./confirm-dialog.tsx')).ConfirmDialog)
const tooltips = lazyPart(async () => (await import('./tooltip-layer.tsx')).TooltipLayer)
const uncopied = lazyPart(async () => (await import('./uncopied-dialog.tsx')).UncopiedDialog)

/** Draws what functions ask for from anywhere: toasts, questions, tooltips, texts that could not be copied. Stands once. */
export function OverlayHost() {
  const question = useStore(openQuestion)
  const text = useStore(uncopiedText)
  return (
    <>
      <Toaster />
      <Suspense fallback={null}>
        <tooltips.Part />
      </Suspense>
      <Suspense fallback={null}>
        {question && <confirmation.Part question={question} />}
        {text !== undefined && <uncopied.Part text={text} />}
      </Suspense>
    </>
  )
}
