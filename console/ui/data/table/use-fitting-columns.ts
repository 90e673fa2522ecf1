import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from 'react'
import { type Column, type DataTableProps, DEFAULT_VIEW, isChosen } from './column.ts'
import { contentWidth, followOverflow } from './scroll-twin.tsx'
import { useShownColumns } from './table-skeleton.tsx'

const NONE: ReadonlySet<unknown> = new Set()

/**
 * The shown columns without the last ones that the box of the table has no room for: a reader does not miss what is cut
 * off, but finds it among the columns to choose. Whoever has chosen columns sees all of them, and scrolls.
 */
export function useFittingColumns<Row extends object>(
  props: DataTableProps<Row>,
  box: RefObject<HTMLElement | null>,
): ReadonlyArray<Column<Row>> {
  const columns = useShownColumns(props)
  const [fit, setFit] = useState({ columns, left: NONE })
  const left = fit.columns === columns ? fit.left : NONE
  const fitting = useMemo(() => columns.filter(column => !left.has(column)), [columns, left])
  const { rows, view = DEFAULT_VIEW } = props
  const mayLeave = !isChosen(view)
  const leave = useEffectEvent(() => {
    const leaving = mayLeave ? findUnfitting(box.current, fitting) : []
    if (leaving.length > 0) setFit({ columns, left: new Set([...left, ...leaving]) })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may need more room
  useLayoutEffect(leave, [fitting, mayLeave, rows])
  const begin = useEffectEvent(() => setFit({ columns, left: NONE }))
  useEffect(() => followSizes(box.current, { onWidth: begin, onContent: leave }), [box])
  useEffect(() => followOverflow(box.current), [box])
  return fitting
}

/** The columns that have to leave, those for wide windows first and the last before the first. */
function findUnfitting<Row>(box: HTMLElement | null, columns: ReadonlyArray<Column<Row>>) {
  if (!box) return []
  let excess = contentWidth(box) - box.clientWidth
  return columns
    .filter(column => !column.isFixed)
    .toReversed()
    .toSorted((a, b) => Number(b.isWide ?? false) - Number(a.isWide ?? false))
    .filter(({ id }) => {
      const leaves = excess > 0
      if (leaves) excess -= box.querySelector(`[data-column="${id}"]`)?.clientWidth ?? 0
      return leaves
    })
}

interface SizeHandlers {
  readonly onWidth: () => void
  readonly onContent: () => void
}

/** Tells of another width of the box, and of other sizes of the table in it, as when a cell is edited or a font has loaded. */
function followSizes(
  box: HTMLElement | null,
  { onWidth, onContent }: SizeHandlers,
): (() => void) | undefined {
  if (!box?.firstElementChild) return undefined
  let width = box.clientWidth
  const observer = new ResizeObserver(() => {
    const isSame = box.clientWidth === width
    width = box.clientWidth
    if (isSame) onContent()
    else onWidth()
  })
  observer.observe(box)
  observer.observe(box.firstElementChild)
  return () => observer.disconnect()
}
