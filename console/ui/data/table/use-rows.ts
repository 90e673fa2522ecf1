import { type KeyboardEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { DataTableProps, RowKeys, Selection } from './column.ts'

/** A visible row and its position in the tree. */
export interface GridRow<Row extends object> {
  readonly id: string
  readonly original: Row
  /** 0 for top-level rows, 1 for their sub-rows. */
  readonly depth: number
  readonly canExpand: boolean
  /** Ids of the sub-rows. */
  readonly childIds: readonly string[]
}

export interface Rows<Row extends object> {
  readonly rows: ReadonlyArray<GridRow<Row>>
  readonly isExpanded: (id: string) => boolean
  readonly toggleExpanded: (id: string) => void
  readonly isSelected: (id: string) => boolean
  /** `isRange` toggles all rows from the last toggled one to this one. Sub-rows follow their parent. */
  readonly toggleSelected: (id: string, isRange: boolean) => void
  readonly selectAll: (isSelected: boolean) => void
  readonly selected: 'none' | 'some' | 'all'
}

const NO_IDS: readonly string[] = []
const NO_ID_SET: ReadonlySet<string> = new Set()

const withIds = (
  ids: ReadonlySet<string>,
  change: readonly string[],
  isIncluded: boolean,
): ReadonlySet<string> => {
  const next = new Set(ids)
  for (const id of change) {
    if (isIncluded) next.add(id)
    else next.delete(id)
  }
  return next
}

/** Visible, expanded and selected rows of a table. */
export function useRows<Row extends object>(props: DataTableProps<Row>): Rows<Row> {
  const [expanded, setExpanded] = useState(NO_ID_SET)
  const rows = useShownRows(props, expanded)
  const toggleExpanded = useCallback(
    (id: string) => setExpanded(before => withIds(before, [id], !before.has(id))),
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
  const ids = selection?.ids ?? NO_ID_SET
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
    const targetIds = shown.slice(low, high + 1).flatMap(row => [row.id, ...row.childIds])
    current?.onChange(withIds(before, targetIds, !before.has(id)))
  }, [])

  const allIds = rows.flatMap(row => [row.id, ...row.childIds])
  const count = allIds.filter(id => ids.has(id)).length
  return {
    isSelected: (id: string) => ids.has(id),
    toggleSelected,
    selectAll: (isSelected: boolean) => selection?.onChange(withIds(ids, allIds, isSelected)),
    selected:
      count === 0 ? ('none' as const) : count === allIds.length ? ('all' as const) : ('some' as const),
  }
}

const NO_SELECTION: ReadonlySet<string> = new Set()
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** The row that received a plain key. Undefined for keys inside cells and key combinations. */
function rowUnder({ target, metaKey, ctrlKey, altKey, nativeEvent }: KeyboardEvent): HTMLElement | undefined {
  if (metaKey || ctrlKey || altKey || nativeEvent.isComposing) return undefined
  return target instanceof HTMLElement && target.dataset.row !== undefined ? target : undefined
}

/** Keyboard navigation of rows: arrow keys move, Enter opens, `x` selects, and `rowKeys` act on the focused row. */
export function useRowCursor<Row extends object>(
  { rows, toggleSelected }: Rows<Row>,
  props: DataTableProps<Row>,
) {
  const [cursorId, setCursorId] = useState<string>()
  const cursor = rows.find(row => row.id === cursorId) ?? rows[0]

  const move = (from: HTMLElement, step: number) => {
    const index = rows.findIndex(row => row.id === cursor?.id)
    const next = rows[Math.min(Math.max(index + step, 0), rows.length - 1)]
    if (!next) return
    setCursorId(next.id)
    from.parentElement?.querySelector<HTMLElement>(`[data-row="${CSS.escape(next.id)}"]`)?.focus()
  }

  const toggle = () => cursor && toggleSelected(cursor.id, false)
  const clear = () => props.selection?.onChange(NO_SELECTION)
  const commands: RowKeys<Row> = {
    ...(props.onOpen ? { Enter: props.onOpen } : {}),
    ...(props.selection ? { x: toggle, Escape: clear } : {}),
    ...props.rowKeys,
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = rowUnder(event)
    if (!row) return
    const step = STEPS[event.key]
    const command = commands[event.key]
    if (step !== undefined) move(row, step)
    else if (command && cursor) command(cursor.original)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const onFocus = (event: { readonly target: EventTarget }) => {
    const row =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : undefined
    if (row?.dataset.row !== undefined) setCursorId(row.dataset.row)
  }

  return { cursor, onKeyDown, onFocus }
}
