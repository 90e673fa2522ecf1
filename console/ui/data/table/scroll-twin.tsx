import { useEffect, useRef, useState } from 'react'

/** A scroll container whose scrollbar is below the viewport. */
interface Hidden {
  readonly box: Element
  readonly width: number
}

/** A second horizontal scrollbar at the bottom of the viewport, while the container's own is out of view. Render it right after the container. */
export function StickyScrollbar() {
  const foot = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<Hidden>()
  useEffect(() => watchBox(foot.current, setHidden), [])
  return (
    <>
      <div ref={foot} />
      {hidden && <Scrollbar {...hidden} />}
    </>
  )
}

function watchBox(foot: Element | null, tell: (hidden: Hidden | undefined) => void): () => void {
  const box = foot?.previousElementSibling
  if (!foot || !box) return () => undefined
  let isFootSeen = true
  const measure = () => {
    const isWider = box.scrollWidth > box.clientWidth
    tell(isWider && !isFootSeen ? { box, width: box.scrollWidth } : undefined)
  }
  const sizes = new ResizeObserver(measure)
  for (const part of [box, ...box.children]) sizes.observe(part)
  const sight = new IntersectionObserver(entries => {
    isFootSeen = entries.at(-1)?.isIntersecting ?? true
    measure()
  })
  sight.observe(foot)
  return () => {
    sizes.disconnect()
    sight.disconnect()
  }
}

function Scrollbar({ box, width }: Hidden) {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const follow = () => bar.current?.scrollTo({ left: box.scrollLeft })
    follow()
    box.addEventListener('scroll', follow, { passive: true })
    return () => box.removeEventListener('scroll', follow)
  }, [box])
  return (
    <div
      ref={bar}
      data-scroll-twin
      aria-hidden
      tabIndex={-1}
      className="sticky bottom-0 z-10 -mt-4 h-4 overflow-x-auto overflow-y-hidden bg-surface"
      onScroll={event => box.scrollTo({ left: event.currentTarget.scrollLeft })}
    >
      <div className="h-px" style={{ width }} />
    </div>
  )
}

/** Sets `data-overflowing` on a scroll container while its content is wider. Used as a `ref` callback. */
export function markOverflow(box: HTMLElement | null): (() => void) | undefined {
  if (!box) return undefined
  const mark = () => box.toggleAttribute('data-overflowing', box.scrollWidth > box.clientWidth)
  const observer = new ResizeObserver(mark)
  observer.observe(box)
  if (box.firstElementChild) observer.observe(box.firstElementChild)
  return () => observer.disconnect()
}
