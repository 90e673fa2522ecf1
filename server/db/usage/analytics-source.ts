import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { NO_TOKEN, type TimeRange } from '../logs/log-filter.ts'
import { PART_IDS } from './roll-up-totals.ts'

/** The column of each dimension. */
export const DIMENSION_COLUMNS = {
  model: 'model_name',
  user: 'user_id',
  channel: 'channel_id',
  token: 'token_id',
  group: 'group',
  dialect: 'dialect',
  error: 'error',
  region: 'region',
  organization: 'organization_id',
  member: 'member_id',
  project: 'project_id',
  plan: 'plan',
  tag: 'tag',
} as const

export type AnalyticsDimension = keyof typeof DIMENSION_COLUMNS

/** Dimensions of which only the larger tables know, by user and token. */
export const OWNER_DIMENSIONS = ['user', 'token', 'organization', 'member', 'project'] as const

/** Dimensions that follow from the user or token of a total: a token stays with its member and project. */
const OWNERS = {
  organization_id: { column: 'user_id', table: 'users', value: 'id', where: sql`kind = 'organization'` },
  member_id: { column: 'token_id', table: 'tokens', value: 'member_id', where: sql`member_id <> 0` },
  project_id: { column: 'token_id', table: 'tokens', value: 'project_id', where: sql`project_id <> 0` },
} as const

const isOwned = (column: string): column is keyof typeof OWNERS => column in OWNERS

/** The column of totals from which a column of dimensions follows: itself, unless it is of owners. */
export const totalsColumn = (column: string): string => (isOwned(column) ? OWNERS[column].column : column)

/** The value of a column of dimensions, where the columns of totals are. No total has tags. */
export function columnValue(column: string): RawBuilder<unknown> {
  if (!isOwned(column)) return column === 'tag' ? sql`''` : sql.ref(column)
  const { table, value, where, column: id } = OWNERS[column]
  return sql`coalesce((select ${sql.ref(value)} from ${sql.table(table)}
    where ${sql.ref(`${table}.id`)} = ${sql.ref(id)} and ${where}), 0)`
}

/** The values that a request must have, one of them for each dimension. An empty list matches nothing. */
export type AnalyticsFilter = Readonly<Partial<Record<AnalyticsDimension, readonly (string | number)[]>>>

/** How finely a query distinguishes times: it reads the coarsest totals that are fine enough. */
export type Grain = 'minute' | 'hour' | 'day'

export interface SourceQuery {
  /** From and until are starts of periods of the grain. */
  readonly range: TimeRange
  readonly grain: Grain
  readonly filter: AnalyticsFilter
  /** Beside those of the filter; users and tokens need larger tables. */
  readonly dimensions: readonly AnalyticsDimension[]
}

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

const hasOwners = ({ filter, dimensions }: Pick<SourceQuery, 'filter' | 'dimensions'>): boolean =>
  OWNER_DIMENSIONS.some(name => dimensions.includes(name) || filter[name] !== undefined)

const doneOf = (name: 'hours' | 'days') =>
  sql`(select done from analytics_cursors where name = ${sql.lit(name)})`
/** Rows of a part that is being written have larger ids. */
const isComplete = (name: 'hours' | 'days') =>
  sql`id < (select part from analytics_cursors where name = ${sql.lit(name)}) * ${sql.lit(PART_IDS)}`

/**
 * The totals of the range with their `time`, each request exactly once: days where they are complete, then hours and
 * minutes that no larger total contains yet. One statement must read it, so that it sees one state of all tables.
 */
export function analyticsSource(query: SourceQuery, columns: readonly string[]): RawBuilder<unknown> {
  const { range, grain, filter } = query
  const prefix = hasOwners(query) ? 'analytics' : 'analytics_gateway'
  const matches = sourceConditions(filter)
  const listed = sql.join(columns.map(column => sql`${columnValue(column)} as ${sql.ref(column)}`))
  const select = (table: string, time: 'minute' | 'hour' | 'day', where: readonly RawBuilder<unknown>[]) =>
    sql`select ${sql.ref(time)} as time, ${listed} from ${sql.table(table)}
      where ${sql.join([...where, ...matches], sql` and `)}`
  if (grain === 'minute')
    return sql`(${select('analytics_minutes', 'minute', [within(sql`minute`, range)])}) as totals`
  const days = grain === 'day' ? completeDays(range) : { from: range.until, until: range.until }
  const edges = [
    { from: range.from, until: Math.min(days.from, range.until) },
    { from: days.until, until: range.until },
  ].filter(({ from, until }) => from < until)
  const ofHours = (where: readonly RawBuilder<unknown>[]) =>
    select(`${prefix}_hours`, 'hour', [isComplete('hours'), ...where])
  const parts = [
    ...(days.from < days.until
      ? [
          select(`${prefix}_days`, 'day', [within(sql`day`, days), isComplete('days')]),
          // Found by id: all other hours of the days are far more.
          ofHours([within(sql`hour + 0`, days), sql`id > ${doneOf('days')}`]),
        ]
      : []),
    ...edges.map(edge => ofHours([within(sql`hour`, edge)])),
    select('analytics_minutes', 'minute', [within(sql`minute`, range), sql`id > ${doneOf('hours')}`]),
  ]
  return sql`(${sql.join(parts, sql` union all `)}) as totals`
}

/** The whole days of a range, UTC; empty when it has none. */
function completeDays({ from, until }: TimeRange): TimeRange {
  const first = Math.ceil(from / DAY_SECONDS) * DAY_SECONDS
  const last = Math.floor(until / DAY_SECONDS) * DAY_SECONDS
  return first < last ? { from: first, until: last } : { from: until, until }
}

const within = (time: RawBuilder<unknown>, { from, until }: TimeRange): RawBuilder<SqlBool> =>
  sql<SqlBool>`${time} >= ${sql.lit(from)} and ${time} < ${sql.lit(until)}`

/** The conditions of a filter on rows with the columns of totals. */
export const sourceConditions = (filter: AnalyticsFilter): readonly RawBuilder<SqlBool>[] => [
  ...Object.entries(filter).map(([dimension, values]) => {
    if (!isDimension(dimension) || values.length === 0) return sql<SqlBool>`1 = 0`
    return hasValue(DIMENSION_COLUMNS[dimension], values)
  }),
  ...ownersOf('id', filter.token),
  ...ownersOf('member_id', filter.member),
  ...ownersOf('project_id', filter.project),
]

/** Lists owners once, instead of looking them up for each total. */
function hasValue(name: string, values: readonly (string | number)[]): RawBuilder<SqlBool> {
  if (!isOwned(name)) return sql<SqlBool>`${columnValue(name)} in (${sql.join([...values])})`
  const { column, table, value, where } = OWNERS[name]
  const owned = sql`select id from ${sql.table(table)} where ${where}`
  const ofNone = values.includes(0) ? sql`or ${sql.ref(column)} not in (${owned})` : sql``
  return sql<SqlBool>`(${sql.ref(column)} in (${owned} and ${sql.ref(value)} in (${sql.join([...values])})) ${ofNone})`
}

/** Adds the owners of the tokens, so that the index by user applies. Requests without a token belong to any user. */
const ownersOf = (
  column: 'id' | 'member_id' | 'project_id',
  ids: readonly (string | number)[] = [],
): readonly RawBuilder<SqlBool>[] =>
  ids.length === 0 || ids.includes(NO_TOKEN)
    ? []
    : [
        sql<SqlBool>`user_id in (select user_id from tokens where ${sql.ref(column)} in (${sql.join([...ids])}))`,
      ]

const isDimension = (name: string): name is AnalyticsDimension => name in DIMENSION_COLUMNS
