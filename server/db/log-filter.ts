import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Which log rows are meant. Empty lists and zeros mean any; `undefined` ids mean any, an empty list of ids none. */
export interface LogFilter {
  readonly types: readonly number[]
  readonly userIds: readonly number[] | undefined
  readonly tokenIds: readonly number[] | undefined
  /** Exact names, or patterns with `%`. */
  readonly models: readonly string[]
  readonly channelId: number
  readonly group: string
  readonly requestId: string
}

/** Seconds; `from` included, `until` not. */
export interface Span {
  readonly from: number
  readonly until: number
}

const is = (column: string, value: string | number): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} = ${value}`

const isOneOf = (column: string, values: readonly (string | number)[]): RawBuilder<SqlBool> =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`

const hasModel = (models: readonly string[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    models.map(model => (model.includes('%') ? sql`model_name like ${model}` : sql`model_name = ${model}`)),
    sql` or `,
  )})`

/** The conditions on the columns that `logs` and `usage_hours` share. */
export function sharedConditions(filter: LogFilter): RawBuilder<SqlBool> {
  const { types, userIds, tokenIds, models, channelId, group } = filter
  const conditions = [
    ...(types.length === 0 ? [] : [isOneOf('type', types)]),
    ...(userIds ? [isOneOf('user_id', userIds)] : []),
    ...(tokenIds ? [isOneOf('token_id', tokenIds)] : []),
    ...(models.length === 0 ? [] : [hasModel(models)]),
    ...(channelId === 0 ? [] : [is('channel_id', channelId)]),
    ...(group === '' ? [] : [is('group', group)]),
  ]
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}
