import { type KeyboardEvent, useState } from 'react'
import type { DataTableProps, RowKeys } from './column.ts'
import type { Rows } from './use-rows.ts'

const NONE: ReadonlySet<string> = new Set()
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** The row that a plain key was pressed on; undefined for keys in its cells and for combinations. */
function rowUnder({ target, metaKey, ctrlKey, altKey, nativeEvent }: KeyboardEvent): HTMLElement | undefined {
  if (metaKey || ctrlKey || altKey || nativeEvent.isComposing) return undefined
  return target instanceof HTMLElement && target.dataset.row !== undefined ? target : undefined
}

/** Keys on the rows: up and down move, Enter opens, `x` selects, and the table's own keys act on the row. */
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
  const clear = () => props.selection?.onChange(NONE)
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
