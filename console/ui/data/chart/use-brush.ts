import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { type SlotRange, slotRange } from './series.ts'

interface Brush {
  readonly anchor: number
  readonly end: number
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/**
 * Selects a range of slots: by dragging, or with arrow keys (Shift extends the range, Enter selects it, Escape cancels).
 */
export function useBrush(count: number, onSelect: (span: SlotRange) => void) {
  const [pointed, setPointed] = useState<number>()
  const [brush, setBrush] = useState<Brush>()
  const [isDragging, setDragging] = useState(false)

  const slotAt = (event: PointerEvent<Element>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / width) * count)
    return Math.min(Math.max(index, 0), count - 1)
  }
  const take = ({ anchor, end }: Brush) => {
    setBrush(undefined)
    setPointed(undefined)
    onSelect(slotRange(anchor, end))
  }
  const step = (by: number, isExtending: boolean) => {
    const from = pointed ?? count - 1
    const next = Math.min(Math.max(from + by, 0), count - 1)
    setPointed(next)
    setBrush(isExtending ? { anchor: brush?.anchor ?? from, end: next } : undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by !== undefined) step(by, event.shiftKey)
    else if (event.key === 'Enter' && pointed !== undefined) take(brush ?? { anchor: pointed, end: pointed })
    else if (event.key === 'Escape' && brush) setBrush(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    pointed,
    span: brush && slotRange(brush.anchor, brush.end),
    handlers: {
      onKeyDown,
      onBlur: () => setPointed(undefined),
      onPointerDown: (event: PointerEvent<Element>) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const slot = slotAt(event)
        setDragging(true)
        setBrush({ anchor: slot, end: slot })
      },
      onPointerMove: (event: PointerEvent<Element>) => {
        const slot = slotAt(event)
        setPointed(slot)
        if (isDragging && brush) setBrush({ ...brush, end: slot })
      },
      onPointerUp: () => {
        setDragging(false)
        if (brush) take(brush)
      },
      onPointerCancel: () => {
        setDragging(false)
        setBrush(undefined)
      },
      onPointerLeave: () => !isDragging && setPointed(undefined),
    },
  }
}
