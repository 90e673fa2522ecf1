import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'

/** Begins to load shortly before the reader arrives. */
const AHEAD = '300px'

interface WhenSeenProps {
  /** Keeps the place, with the height of its content. */
  readonly placeholder: ReactNode
  readonly children: ReactNode
}

/** Renders its children, whose code may load on first use, once the reader has scrolled near them. */
export function WhenSeen({ placeholder, children }: WhenSeenProps) {
  const anchor = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!anchor.current) return undefined
    const sight = new IntersectionObserver(
      entries => entries.some(entry => entry.isIntersecting) && setSeen(true),
      { rootMargin: AHEAD },
    )
    sight.observe(anchor.current)
    return () => sight.disconnect()
  }, [])
  if (isSeen) return <Suspense fallback={placeholder}>{children}</Suspense>
  return <div ref={anchor}>{placeholder}</div>
}
