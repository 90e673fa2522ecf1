import { useEffect, useRef, useState } from 'react'

const OPEN_DELAY_MS = 400
const GAP_PX = 6
const EDGE_PX = 8

interface Tooltip {
  readonly target: HTMLElement
  readonly label: string
  readonly shortcut: string | undefined
}

const tooltipTarget = (node: EventTarget | null): HTMLElement | undefined => {
  const found = node instanceof Element ? node.closest('[data-tooltip]') : null
  return found instanceof HTMLElement ? found : undefined
}

const toTooltip = (target: HTMLElement): Tooltip => ({
  target,
  label: target.dataset.tooltip ?? '',
  shortcut: target.dataset.shortcut,
})

/**
 * A single tooltip for the page. It shows the `data-tooltip` of the element under the mouse or with keyboard focus.
 * Elements also have an `aria-label`, so a tooltip is never the only source of a name.
 */
export function TooltipLayer() {
  const [shown, setShown] = useState<Tooltip>()
  const bubble = useRef<HTMLDivElement>(null)

  useEffect(() => followTargets(setShown), [])
  useEffect(() => {
    if (shown && bubble.current) positionBubble(bubble.current, shown.target)
  }, [shown])

  if (!shown) return null
  return (
    <div
      ref={bubble}
      popover="manual"
      aria-hidden
      className="pointer-events-none fixed m-0 max-w-65 rounded-control border-0 bg-fg px-2 py-1 text-caption text-page shadow-menu"
    >
      {shown.label}
      {shown.shortcut && <kbd className="ml-2 font-sans opacity-70">{shown.shortcut}</kbd>}
    </div>
  )
}

function followTargets(show: (shown: Tooltip | undefined) => void): () => void {
  const ended = new AbortController()
  const options = { signal: ended.signal, capture: true }
  let timer = 0
  const hide = () => {
    clearTimeout(timer)
    show(undefined)
  }
  const point = (event: PointerEvent) => {
    clearTimeout(timer)
    const target = event.pointerType === 'mouse' ? tooltipTarget(event.target) : undefined
    if (target) timer = window.setTimeout(() => show(toTooltip(target)), OPEN_DELAY_MS)
    else show(undefined)
  }
  /** Elements that pointer or focus reached before this layer was loaded. */
  const showHovered = () => {
    const hovered = tooltipTarget([...document.querySelectorAll(':hover')].at(-1) ?? null)
    if (hovered) timer = window.setTimeout(() => show(toTooltip(hovered)), OPEN_DELAY_MS)
    const focused = tooltipTarget(document.activeElement)
    if (focused?.matches(':focus-visible')) show(toTooltip(focused))
  }
  const focus = (event: FocusEvent) => {
    const target = tooltipTarget(event.target)
    if (target?.matches(':focus-visible')) show(toTooltip(target))
  }
  showHovered()
  document.addEventListener('pointerover', point, options)
  document.addEventListener('pointerdown', hide, options)
  document.addEventListener('focusin', focus, options)
  document.addEventListener('focusout', hide, options)
  document.addEventListener('scroll', hide, options)
  document.addEventListener('keydown', event => event.key === 'Escape' && hide(), options)
  return () => ended.abort()
}

function positionBubble(bubble: HTMLElement, target: HTMLElement): void {
  bubble.showPopover()
  const box = target.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const above = box.top - height - GAP_PX
  const top = above >= EDGE_PX ? above : box.bottom + GAP_PX
  const centred = box.left + box.width / 2 - width / 2
  const left = Math.min(Math.max(centred, EDGE_PX), window.innerWidth - width - EDGE_PX)
  bubble.style.top = `${top}px`
  bubble.style.left = `${left}px`
}
