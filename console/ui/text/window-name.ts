import { useEffect } from 'react'

/** Names what is open within the page in the title of the window. */
export function useWindowName(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return undefined
    const { title: before } = document
    document.title = `${name} - ${before}`
    return () => {
      document.title = before
    }
  }, [name])
}
