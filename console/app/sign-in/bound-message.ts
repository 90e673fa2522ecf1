import { useEffect, useEffectEvent } from 'react'

const BOUND = 'tollgate-bound'

/** Tells the page that opened this window that what it was opened for is done. */
export function tellBound(): void {
  const opener: Window | null = window.opener
  opener?.postMessage(BOUND, window.location.origin)
}

/** Hears of it, from this installation only. */
export function useBound(onBound: () => void): void {
  const heard = useEffectEvent(onBound)
  useEffect(() => {
    const listen = ({ origin, data }: MessageEvent) => {
      if (origin === window.location.origin && data === BOUND) heard()
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
}
