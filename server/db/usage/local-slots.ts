import { type RawBuilder, sql } from 'kysely'
import type { OffsetChange } from '../../core/time-zone.ts'

/** Buckets of local time: their length and how far it is ahead of UTC. Weeks begin on Monday. */
export interface SlotSize {
  readonly seconds: number
  readonly offsets: readonly OffsetChange[]
}

const WEEK_SECONDS = 7 * 24 * 3600
/** The epoch is a Thursday. */
const MONDAY_OFFSET_SECONDS = 3 * 24 * 3600

/** The start, in local time, of the slot that contains the time in a column. */
export function slotStart(column: 'time' | 'hour', { seconds, offsets }: SlotSize): RawBuilder<number> {
  const time = sql.ref(column)
  const [first, ...later] = offsets
  const offset = later.reduce(
    (before, change) =>
      sql`case when ${time} < ${sql.lit(change.from)} then ${before} else ${sql.lit(change.seconds)} end`,
    sql`${sql.lit(first?.seconds ?? 0)}`,
  )
  const monday = sql.lit(seconds === WEEK_SECONDS ? MONDAY_OFFSET_SECONDS : 0)
  return sql`(${time} + ${offset}) - (${time} + ${offset} + ${monday}) % ${sql.lit(seconds)}`
}
