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
    const width = contentWidth(box)
    tell(width > box.clientWidth && !isFootSeen ? { box, width } : undefined)
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

/**
 * Marks the box of a table with `data-overflowing` while the table is wider. Only then is the box a scroll container, sideways: the
 * page is the only thing that scrolls down. The head of a table in a scroll container cannot stick to the window by itself, so
 * `--head-top` tells it how far the box is above the lower edge of the page's header. Returns what ends this.
 */
export function followOverflow(box: HTMLElement | null): (() => void) | undefined {
  const table = box?.firstElementChild
  const head = table?.querySelector<HTMLElement>('thead')
  if (!box || !table || !head) return undefined
  const shiftHead = () => {
    const above = headerBottom() - box.getBoundingClientRect().top
    const most = box.clientHeight - head.offsetHeight
    head.style.setProperty('--head-top', `${Math.max(Math.min(above, most), 0)}px`)
  }
  const onScroll = () => box.hasAttribute('data-overflowing') && shiftHead()
  const mark = () => {
    box.toggleAttribute('data-overflowing', contentWidth(box) > box.clientWidth)
    onScroll()
  }
  const observer = new ResizeObserver(mark)
  observer.observe(box)
  observer.observe(table)
  document.addEventListener('scroll', onScroll, { passive: true })
  return () => {
    observer.disconnect()
    document.removeEventListener('scroll', onScroll)
  }
}

/** `scrollWidth` of the box would not count what it clips. */
export const contentWidth = (box: Element): number => box.firstElementChild?.scrollWidth ?? 0

const headerBottom = (): number => document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
