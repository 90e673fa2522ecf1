import { useSyncExternalStore } from 'react'

/** Subscribes to a media query. For layouts that need different elements, where CSS is not enough. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    changed => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
}

export const PHONE = '(max-width: 600px)'
/** A table with all its columns fits beside the open sidebar. */
export const WIDE = '(min-width: 1100px)'
