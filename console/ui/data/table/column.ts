import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand at the end. */
  readonly align?: 'start' | 'end'
  /** A width class such as `w-40`. */
  readonly width?: string
  /** Always shown; a fixed first column stays in sight while the table scrolls sideways. */
  readonly isFixed?: boolean
  /** Hidden until the reader shows it. */
  readonly isExtra?: boolean
  /** The name under which the server sorts by it. */
  readonly sortKey?: string
}

/** What it takes to show or hide a column. */
export type ColumnChoice = Pick<Column<never>, 'id' | 'header' | 'isFixed' | 'isExtra'>

export interface Sort {
  readonly key: string
  readonly isDescending: boolean
}

/** How a row looks where there is no room for a table. */
export interface RowCard<Row> {
  readonly title: (row: Row) => ReactNode
  readonly subtitle?: (row: Row) => ReactNode
  readonly status?: (row: Row) => ReactNode
  readonly facts: (row: Row) => ReadonlyArray<{ readonly label: string; readonly value: ReactNode }>
}

export type Density = 'compact' | 'comfortable'

/** What the reader chose for this table. `shown` and `hidden` differ from the columns' own first state. */
export interface TableView {
  readonly density: Density
  readonly hidden: readonly string[]
  readonly shown: readonly string[]
}

export const FIRST_VIEW: TableView = { density: 'comfortable', hidden: [], shown: [] }

/** Whether the reader sees a column. */
export const isColumnShown = (column: ColumnChoice, view: TableView): boolean =>
  column.isFixed || (column.isExtra ? view.shown.includes(column.id) : !view.hidden.includes(column.id))

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
}

/** One key on the row under the cursor: `e` edits, `c` copies, `Delete` asks. */
export type RowKeys<Row> = Readonly<Record<string, (row: Row) => void>>

export interface DataTableProps<Row> {
  /** The caption, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  /** Undefined while the first page is on its way. */
  readonly rows: readonly Row[] | undefined
  readonly rowId: (row: Row) => string
  /** Names a row for screen readers: "production, enabled". */
  readonly rowName: (row: Row) => string
  readonly card: RowCard<Row>
  readonly empty: ReactNode
  readonly view?: TableView
  readonly selection?: Selection
  readonly sort?: Sort | undefined
  readonly onSort?: (sort: Sort | undefined) => void
  /** Icon buttons and a menu, at most three visible. Must be a stable function. */
  readonly actions?: (row: Row) => ReactNode
  /** Greyed: the thing is off. The status says it in words. */
  readonly isMuted?: (row: Row) => boolean
  readonly subRows?: (row: Row) => readonly Row[] | undefined
  /** Opens below the row. */
  readonly detail?: (row: Row) => ReactNode
  /** The row whose sheet is open. */
  readonly openId?: string | undefined
  readonly onOpen?: (row: Row) => void
  readonly rowKeys?: RowKeys<Row>
  /** New figures are on their way; the old ones stay, dimmed. */
  readonly isRefreshing?: boolean
  readonly skeletonRows?: number
}

/** How high a row is, and what holds its place. */
export const ROW_HEIGHTS: Readonly<Record<Density, string>> = { compact: 'h-9', comfortable: 'h-11' }
