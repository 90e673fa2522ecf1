/** Which row of another gateway became which row here, so that a second import brings only what is new. */
export interface ImportRowTable {
  /** Identifies the other installation. */
  source: string
  kind: string
  source_id: string
  /** The row here; 0 where there is none of its own, as for options and logs. */
  id: number
}

/** The usage in imported log rows, which no charge of this gateway matches. */
export interface ImportUsageTable {
  user_id: number
  quota: number
  requests: number
}
