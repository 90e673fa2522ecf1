import { MATCHING_ROWS_MAX, type MatchingResult } from '#contract/endpoint.ts'
import { apiErrors } from '../core/api-error.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import type { ApiContext } from './context.ts'

/** Rows of one transaction: SQLite answers nobody else while it changes them. */
const BATCH_ROWS = 250
const CONFLICT = 409

const matchingError = apiErrors(
  'matching',
  {
    more_match: {
      zh: '您确认了 {confirmed} 项，现在有 {found} 项符合条件，请重新确认',
      en: 'you confirmed {confirmed}, but {found} match now; confirm again',
    },
    too_many: {
      zh: '符合条件的超过 {most} 项，请缩小筛选范围',
      en: 'more than {most} match; narrow the filter',
    },
  },
  CONFLICT,
)

interface MatchingWork {
  /** How many rows the user has confirmed. */
  readonly count: number
  /** The ids of the rows that match, at most one more than `MATCHING_ROWS_MAX`; with `ids`, those of them that match. */
  readonly listIds: (db: Database, ids?: readonly number[]) => Promise<readonly number[]>
  /** Changes rows and returns their number, which is less where rows do not allow the change. */
  readonly change: (tx: Database, ids: readonly number[]) => Promise<number>
}

/**
 * Changes all rows that match a filter, in batches that are transactions of their own. A row is changed if it matched at the
 * beginning and still matches in its batch. Throws `matching.more_match` when more rows match than the user has confirmed.
 */
export async function changeMatching(
  { count, listIds, change }: MatchingWork,
  { db, reader, willChange }: Pick<ApiContext, 'db' | 'reader' | 'willChange'>,
): Promise<MatchingResult> {
  const ids = await listIds(reader)
  if (ids.length > MATCHING_ROWS_MAX) throw matchingError('too_many', { most: MATCHING_ROWS_MAX })
  if (ids.length > count) throw matchingError('more_match', { confirmed: count, found: ids.length })
  await willChange(ids)
  let changed = 0
  for (let from = 0; from < ids.length; from += BATCH_ROWS) {
    const batch = ids.slice(from, from + BATCH_ROWS)
    changed += await inTransaction(db, async tx => {
      const matching = await listIds(tx, batch)
      return matching.length === 0 ? 0 : change(tx, matching)
    })
  }
  return { matched: ids.length, changed }
}
