import { z } from 'zod'
import { DEFAULT_VIEW, type TableView } from '../../ui/data/table/column.ts'
import { createStore, type Store, useStore } from '../../ui/store.ts'
import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'

const View = z.object({
  density: z.enum(['compact', 'comfortable']),
  hidden: z.array(z.string()),
  shown: z.array(z.string()),
})

const views = new Map<string, Store<TableView>>()

function viewStore(table: string): Store<TableView> {
  const known = views.get(table)
  if (known) return known
  const store = createStore<TableView>(View.safeParse(readStoredJson(`table-${table}`)).data ?? DEFAULT_VIEW)
  views.set(table, store)
  return store
}

/** Columns and density of one table, stored in this browser. `table` includes the role where columns differ by role. */
export function useTableView(table: string): readonly [TableView, (view: TableView) => void] {
  const store = viewStore(table)
  const change = (next: TableView) => {
    writeStoredJson(`table-${table}`, next)
    store.set(next)
  }
  return [useStore(store), change]
}
