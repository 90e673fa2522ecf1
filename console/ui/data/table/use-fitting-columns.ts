import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react'
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may need more room
  useLayoutEffect(() => {
    const leaving = mayLeave ? findUnfitting(box.current, fitting) : []
    if (leaving.length > 0) setFit({ columns, left: new Set([...left, ...leaving]) })
  }, [box, columns, fitting, left, mayLeave, rows])
  useEffect(() => followWidth(box.current, () => setFit({ columns, left: NONE })), [box, columns])
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

function followWidth(box: HTMLElement | null, onChange: () => void): (() => void) | undefined {
  if (!box) return undefined
  let width = box.clientWidth
  const observer = new ResizeObserver(() => {
    if (box.clientWidth === width) return
    width = box.clientWidth
    onChange()
  })
  observer.observe(box)
  return () => observer.disconnect()
}
