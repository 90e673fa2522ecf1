import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { DataTableProps, Selection } from './column.ts'

/** One row as it is shown: its place in the tree, and what it needs to draw itself. */
export interface GridRow<Row extends object> {
  readonly id: string
  readonly original: Row
  /** 0 for the rows of the list, 1 for those below one of them. */
  readonly depth: number
  readonly canExpand: boolean
  /** The ids of the rows below it. */
  readonly childIds: readonly string[]
}

export interface Rows<Row extends object> {
  readonly rows: ReadonlyArray<GridRow<Row>>
  readonly isExpanded: (id: string) => boolean
  readonly toggleExpanded: (id: string) => void
  readonly isSelected: (id: string) => boolean
  /** With `isRange` everything from the row that was chosen last up to this one. A row with rows below it takes them along. */
  readonly toggleSelected: (id: string, isRange: boolean) => void
  readonly selectAll: (isSelected: boolean) => void
  readonly selected: 'none' | 'some' | 'all'
}

const NO_IDS: readonly string[] = []
const NOTHING: ReadonlySet<string> = new Set()

const changed = (ids: ReadonlySet<string>, change: readonly string[], isIn: boolean): ReadonlySet<string> => {
  const next = new Set(ids)
  for (const id of change) {
    if (isIn) next.add(id)
    else next.delete(id)
  }
  return next
}

/** Which rows are shown, which are open and which are selected. */
export function useRows<Row extends object>(props: DataTableProps<Row>): Rows<Row> {
  const [expanded, setExpanded] = useState(NOTHING)
  const rows = useShownRows(props, expanded)
  const toggleExpanded = useCallback(
    (id: string) => setExpanded(before => changed(before, [id], !before.has(id))),
    [],
  )
  return {
    rows,
    isExpanded: id => expanded.has(id),
    toggleExpanded,
    ...useRowSelection(rows, props.selection),
  }
}

function useShownRows<Row extends object>(
  { rows, rowId, subRows, detail }: DataTableProps<Row>,
  expanded: ReadonlySet<string>,
): ReadonlyArray<GridRow<Row>> {
  const hasDetail = detail !== undefined
  return useMemo(() => {
    const shown = (original: Row, depth: number): Array<GridRow<Row>> => {
      const id = rowId(original)
      const below = subRows?.(original) ?? []
      const childIds = below.length === 0 ? NO_IDS : below.map(rowId)
      const row = { id, original, depth, canExpand: hasDetail || below.length > 0, childIds }
      return expanded.has(id) ? [row, ...below.flatMap(child => shown(child, depth + 1))] : [row]
    }
    return (rows ?? []).flatMap(row => shown(row, 0))
  }, [rows, rowId, subRows, hasDetail, expanded])
}

function useRowSelection<Row extends object>(
  rows: ReadonlyArray<GridRow<Row>>,
  selection: Selection | undefined,
) {
  const ids = selection?.ids ?? NOTHING
  const anchor = useRef<string>(undefined)
  const latest = useRef({ rows, ids, selection })
  useLayoutEffect(() => {
    latest.current = { rows, ids, selection }
  })

  const toggleSelected = useCallback((id: string, isRange: boolean) => {
    const { rows: shown, ids: before, selection: current } = latest.current
    const at = shown.findIndex(row => row.id === id)
    const from = isRange ? shown.findIndex(row => row.id === anchor.current) : at
    anchor.current = id
    const [low, high] = from < 0 ? [at, at] : [Math.min(from, at), Math.max(from, at)]
    const meant = shown.slice(low, high + 1).flatMap(row => [row.id, ...row.childIds])
    current?.onChange(changed(before, meant, !before.has(id)))
  }, [])

  const every = rows.flatMap(row => [row.id, ...row.childIds])
  const count = every.filter(id => ids.has(id)).length
  return {
    isSelected: (id: string) => ids.has(id),
    toggleSelected,
    selectAll: (isSelected: boolean) => selection?.onChange(changed(ids, every, isSelected)),
    selected: count === 0 ? ('none' as const) : count === every.length ? ('all' as const) : ('some' as const),
  }
}
