import { useEffect, useState } from 'react'

const FIRST_USES = ['pointermove', 'pointerdown', 'keydown'] as const

/** Browsers send moves of their own when the page changes below a pointer that rests. */
const isOfTheBrowser = (event: Event): boolean =>
  event instanceof PointerEvent && event.type === 'pointermove' && !event.movementX && !event.movementY

/** Whether a pointer or a key has been used. What only then makes sense need not be in the first load. */
export function useIsUsed(): boolean {
  const [isUsed, setUsed] = useState(false)
  useEffect(() => {
    const ended = new AbortController()
    const use = (event: Event) => {
      if (isOfTheBrowser(event)) return
      ended.abort()
      setUsed(true)
    }
    for (const event of FIRST_USES)
      document.addEventListener(event, use, { signal: ended.signal, capture: true })
    return () => ended.abort()
  }, [])
  return isUsed
}
