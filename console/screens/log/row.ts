import type { LogDetail, LogEntry } from '#contract/logs/logs.ts'
import { readDetail } from './detail.ts'

/** A row with what stands behind it, read once. */
export interface Row {
  readonly entry: LogEntry
  readonly detail: LogDetail
}

export const toRow = (entry: LogEntry): Row => ({ entry, detail: readDetail(entry) })
