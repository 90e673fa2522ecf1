import { Suspense, useEffect, useState } from 'react'
import { uncopiedText } from '../buttons/buttons.tsx'
import { lazyPart } from '../lazy-part.ts'
import { useStore } from '../store.ts'
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

const FIRST_USES = ['pointermove', 'pointerover', 'keydown'] as const

/** Whether a pointer or a key has been used: nothing has a tooltip before. */
function useIsUsed(): boolean {
  const [isUsed, setUsed] = useState(false)
  useEffect(() => {
    const ended = new AbortController()
    const use = () => {
      ended.abort()
      setUsed(true)
    }
    for (const event of FIRST_USES)
      document.addEventListener(event, use, { signal: ended.signal, capture: true })
    return () => ended.abort()
  }, [])
  return isUsed
}
