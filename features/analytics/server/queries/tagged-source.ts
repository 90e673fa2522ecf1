import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { ARRIVED_BEFORE_SECONDS, type TimeRange } from '#server/db/logs/log-filter.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import {
  analyticsSource,
  columnValue,
  type SourceQuery,
  sourceConditions,
} from '#server/db/usage/analytics-source.ts'
import { requestFacts } from '#server/db/usage/count-requests.ts'
import { SUM_COLUMNS } from '#server/db/usage/totals.ts'

/** A tag that requests must have. */
export interface TagFilter {
  readonly key: string
  /** Undefined: any. */
  readonly value: string | undefined
}

/** What a report says of tags. */
export interface TagScope {
  readonly engine: Engine
  /** The key whose values are the dimension `tag`; empty: none. */
  readonly key: string
  readonly tagFilter: TagFilter | undefined
}

export interface ReportSourceQuery extends SourceQuery {
  /** Undefined for a report without tags. */
  readonly tags?: TagScope | undefined
}

/**
 * The totals of the range with their `time`. Tags are beside log rows, so requests that have them are read from these, and
 * subtracted from what has none: all together they are the roll-ups, whatever became of the log.
 */
export function reportSource(query: ReportSourceQuery, columns: readonly string[]): RawBuilder<unknown> {
  const { tags, filter, range } = query
  if (!tags) return analyticsSource(query, columns)
  const { tag: values, ...others } = filter
  const facts = requestFacts(taggedRows(range, tags), tags.engine, ['tag'])
  const hasValue = (tag: RawBuilder<unknown>) =>
    values === undefined
      ? []
      : [values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${tag} in (${sql.join([...values])})`]
  const select = (listed: readonly RawBuilder<unknown>[], tag: RawBuilder<unknown>) =>
    sql`select time, ${sql.join(listed)} from (${facts}) as facts
      where ${sql.join([sql`1 = 1`, ...sourceConditions(others), ...hasValue(tag)], sql` and `)}`
  const tagged = select(
    columns.map(column => sql`${taggedValue(column)} as ${sql.ref(column)}`),
    sql.ref('tag'),
  )
  if (tags.tagFilter) return sql`(${tagged}) as totals`
  const subtracted = select(
    columns.map(column => sql`${subtractedValue(column)} as ${sql.ref(column)}`),
    sql`''`,
  )
  const all = sql`select time, ${sql.join(columns.map(column => sql.ref(column)))} from ${analyticsSource(query, columns)}`
  return sql`(${sql.join([all, tagged, subtracted], sql` union all `)}) as totals`
}

const SUMS: ReadonlySet<string> = new Set(SUM_COLUMNS)
const SKETCHES: ReadonlySet<string> = new Set(['first_token', 'duration'])

/** A request has one value in a sketch, or none. */
const sketchOf = (column: string, ending: string): RawBuilder<unknown> =>
  sql`coalesce(cast(${sql.ref(column)} as text) || ${sql.lit(ending)}, '')`

function taggedValue(column: string): RawBuilder<unknown> {
  if (SKETCHES.has(column)) return sketchOf(column, '')
  return column === 'tag' ? sql.ref('tag') : columnValue(column)
}

function subtractedValue(column: string): RawBuilder<unknown> {
  if (SKETCHES.has(column)) return sketchOf(column, ':-1')
  return SUMS.has(column) ? sql`-${sql.ref(column)}` : columnValue(column)
}

/** The log rows that the roll-ups contain and that are tagged, with receipts and `tag`. */
function taggedRows({ from, until }: TimeRange, { key, tagFilter }: TagScope): RawBuilder<unknown> {
  const isOf = (table: string, name: string) => {
    const column = (of: string) => sql.ref(`${table}.${of}`)
    return sql`${column('request_id')} = logs.request_id and ${column('key')} = ${name}
      and ${column('created_at')} >= ${from - ARRIVED_BEFORE_SECONDS} and ${column('created_at')} < ${until}`
  }
  const joins = tagFilter
    ? sql`join request_tags as filtered on ${isOf('filtered', tagFilter.key)}
        ${tagFilter.value === undefined ? sql`` : sql`and filtered.value = ${tagFilter.value}`}
        left join request_tags as named on ${isOf('named', key)}`
    : sql`join request_tags as named on ${isOf('named', key)}`
  return sql`(select logs.*, receipts.body, coalesce(named.value, '') as tag
    from logs ${joins} left join receipts on receipts.log_id = logs.id
    where logs.created_at >= ${from} and logs.created_at < ${until}
      and logs.id > (select done from analytics_cursors where name = 'earlier')
      and logs.id <= (select done from analytics_cursors where name = 'requests'))`
}
