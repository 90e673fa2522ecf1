/** Marks a scrolling box with `data-overflowing` while it is wider inside than outside. Used as its `ref`. */
export function markOverflow(box: HTMLElement | null): (() => void) | undefined {
  if (!box) return undefined
  const mark = () => box.toggleAttribute('data-overflowing', box.scrollWidth > box.clientWidth)
  const observer = new ResizeObserver(mark)
  observer.observe(box)
  if (box.firstElementChild) observer.observe(box.firstElementChild)
  return () => observer.disconnect()
}
