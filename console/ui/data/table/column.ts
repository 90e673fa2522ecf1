import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** `end` for numbers. */
  readonly align?: 'start' | 'end'
  /** Width class of the header such as `min-w-40`. */
  readonly width?: string
  /** Cannot be hidden. A fixed first column is sticky while the table scrolls sideways. */
  readonly isFixed?: boolean
  /** Hidden by default. */
  readonly isExtra?: boolean
  /** Left out of narrow windows until the reader chooses columns, and before others where a table does not fit. */
  readonly isWide?: boolean
  /** Sort key of the API. */
  readonly sortKey?: string
}

/** Width of status columns: the longest status fits, so that the table does not move when a status changes. */
export const STATUS_WIDTH = 'min-w-36'

/** The fields needed to show or hide a column. */
export type ColumnChoice = Pick<Column<never>, 'id' | 'header' | 'isFixed' | 'isExtra'>

export interface Sort {
  readonly key: string
  readonly isDescending: boolean
}

/** Card layout of a row on phones. */
export interface RowCard<Row> {
  readonly title: (row: Row) => ReactNode
  readonly subtitle?: (row: Row) => ReactNode
  readonly status?: (row: Row) => ReactNode
  readonly facts: (row: Row) => ReadonlyArray<{ readonly label: string; readonly value: ReactNode }>
}

export type Density = 'compact' | 'comfortable'

/** View options of a table. `shown` and `hidden` list the columns that differ from their defaults. */
export interface TableView {
  readonly density: Density
  readonly hidden: readonly string[]
  readonly shown: readonly string[]
}

export const DEFAULT_VIEW: TableView = { density: 'comfortable', hidden: [], shown: [] }

/** Whether a column is visible in a view. */
export const isColumnShown = (column: ColumnChoice, view: TableView): boolean =>
  column.isFixed || (column.isExtra ? view.shown.includes(column.id) : !view.hidden.includes(column.id))

/** Whether the reader has chosen columns. */
export const isChosen = ({ hidden, shown }: TableView): boolean => hidden.length + shown.length > 0

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
}

/** Keyboard commands on the focused row: `e` edits, `c` copies, `Delete` deletes. */
export type RowKeys<Row> = Readonly<Record<string, (row: Row) => void>>

export interface DataTableProps<Row> {
  /** Caption for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  /** Undefined while the first page loads. */
  readonly rows: readonly Row[] | undefined
  readonly rowId: (row: Row) => string
  /** Name of a row for screen readers: "production, enabled". */
  readonly rowName: (row: Row) => string
  readonly card: RowCard<Row>
  readonly empty: ReactNode
  readonly view?: TableView
  readonly selection?: Selection
  readonly sort?: Sort | undefined
  readonly onSort?: (sort: Sort | undefined) => void
  /** Icon buttons and a menu, at most three visible. Must be stable between renders. */
  readonly actions?: (row: Row) => ReactNode
  /** Greys out disabled records. The status column says it in words. */
  readonly isMuted?: (row: Row) => boolean
  readonly subRows?: (row: Row) => readonly Row[] | undefined
  /** Expandable content below the row. */
  readonly detail?: (row: Row) => ReactNode
  /** Id of the row whose sheet is open. */
  readonly openId?: string | undefined
  readonly onOpen?: (row: Row) => void
  readonly rowKeys?: RowKeys<Row>
  /** Shows the current rows dimmed while new ones load. */
  readonly isRefreshing?: boolean
  readonly skeletonRows?: number
}

/** Height classes of rows and their skeletons. */
export const ROW_HEIGHTS: Readonly<Record<Density, string>> = { compact: 'h-9', comfortable: 'h-11' }
