import { useSyncExternalStore } from 'react'

/** Follows a media query, for what must be another element and not only another look. */
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
