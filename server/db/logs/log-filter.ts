import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { FAILED_LOG_TYPES, LOG_TYPE } from '#contract/enums.ts'

/** Selects log rows. Empty lists and zeros match all; for ids `undefined` matches all and an empty list none. */
export interface LogFilter {
  readonly types: readonly number[]
  readonly userIds: readonly number[] | undefined
  readonly tokenIds: readonly number[] | undefined
  /** Exact names or patterns with `%`. */
  readonly models: readonly string[]
  readonly channelId: number
  readonly group: string
  readonly requestId: string
  /** `key=value`, or a key with any value. */
  readonly tag: string
  /** Errors of failed requests, such as `429 rate_limited`, or patterns with `%`. Selects failed requests only. */
  readonly errors: readonly string[]
  readonly exclude: Exclusions
}

/** Excludes rows with any of these values. */
export interface Exclusions {
  readonly types: readonly number[]
  readonly userIds: readonly number[]
  readonly tokenIds: readonly number[]
  /** Exact names or patterns with `%`. */
  readonly models: readonly string[]
  readonly channelIds: readonly number[]
  readonly groups: readonly string[]
  /** Groups whose playground calls, which have no token, are excluded. */
  readonly playgroundGroups: readonly string[]
}

export const ALL_LOGS: LogFilter = {
  types: [],
  userIds: undefined,
  tokenIds: undefined,
  models: [],
  channelId: 0,
  group: '',
  requestId: '',
  tag: '',
  errors: [],
  exclude: {
    types: [],
    userIds: [],
    tokenIds: [],
    models: [],
    channelIds: [],
    groups: [],
    playgroundGroups: [],
  },
}

export const NO_TOKEN = 0

/** Unix seconds; `from` is included, `until` is not. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** Rows of failed and rejected requests. Literals, not parameters: otherwise the partial index is not used. */
export const isFailure = sql<SqlBool>`type in (${sql.join(FAILED_LOG_TYPES.map(sql.lit))})`

/** Rows of requests to models. */
export const isCall = sql<SqlBool>`type in (${sql.join([LOG_TYPE.consumption, ...FAILED_LOG_TYPES].map(sql.lit))})`

/** The conditions on rows of `logs`. */
export const logConditions = (filter: LogFilter, { from, until }: TimeRange): RawBuilder<SqlBool> =>
  sql<SqlBool>`created_at >= ${from} and created_at < ${until} and ${sharedConditions(filter)}${
    filter.requestId === '' ? sql`` : sql` and request_id = ${filter.requestId}`
  }${filter.tag === '' ? sql`` : sql` and ${isTagged(filter.tag, { from, until })}`}${filter.errors.length === 0 ? sql`` : sql` and ${isFailure} and ${matchesAny('error', filter.errors)}`}`

/** A request arrives before its row is written: a task hours before. */
export const ARRIVED_BEFORE_SECONDS = 7 * 86_400

/** Whether a row of `logs` has a tag, found by the index of tags. */
function isTagged(tag: string, { from, until }: TimeRange): RawBuilder<SqlBool> {
  const [key = '', ...value] = tag.split('=')
  const hasValue = value.length === 0 ? sql`` : sql` and value = ${value.join('=')}`
  return sql<SqlBool>`request_id in (select request_id from request_tags where key = ${key}
    and created_at >= ${from - ARRIVED_BEFORE_SECONDS} and created_at < ${until}${hasValue})`
}

/**
 * The matching rows of the range as `usage`, with the columns of the usage tables. For parts of an hour, and for filters on
 * errors and tags, which those tables do not know: indexes make them few.
 */
export const rowSource = (filter: LogFilter, range: TimeRange): RawBuilder<unknown> =>
  sql`(select created_at as hour, user_id, token_id, channel_id, model_name,
      "group", type, 1 as count, quota, prompt_tokens, completion_tokens
    from logs where ${logConditions(filter, range)}) as usage`

/** Whether the filter is on what only log rows know. */
export const selectsRows = ({ errors, tag }: LogFilter): boolean => errors.length > 0 || tag !== ''

/** The conditions on the columns that `logs` shares with the usage tables. */
export function sharedConditions(filter: LogFilter): RawBuilder<SqlBool> {
  const { types, userIds, tokenIds, models, channelId, group, exclude } = filter
  const conditions = [
    ...(types.length === 0 ? [] : [isOneOf('type', types)]),
    ...(userIds ? [isOneOf('user_id', userIds)] : []),
    ...(tokenIds ? [isOneOf('token_id', tokenIds), ...belongsToOwners(tokenIds)] : []),
    ...(models.length === 0 ? [] : [matchesAny('model_name', models)]),
    ...(channelId === 0 ? [] : [is('channel_id', channelId)]),
    ...(group === '' ? [] : [is('group', group)]),
    ...exclusionConditions(exclude),
  ]
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** Whether the filter neither selects nor excludes users and tokens. */
export const isForAllUsers = ({ userIds, tokenIds, exclude }: LogFilter): boolean =>
  userIds === undefined &&
  tokenIds === undefined &&
  [exclude.userIds, exclude.tokenIds, exclude.playgroundGroups].every(ids => ids.length === 0)

interface OwnerExclusion {
  /** The filter without its exclusions of users and tokens. */
  readonly filterWithout: LogFilter
  /** Matches the rows of excluded users and tokens. */
  readonly isExcluded: RawBuilder<SqlBool>
}

/** Undefined unless the filter excludes users or tokens and selects none. */
export function splitOwnerExclusions(filter: LogFilter): OwnerExclusion | undefined {
  const { userIds, tokenIds, exclude } = filter
  if (userIds || tokenIds || isForAllUsers(filter)) return undefined
  const none = { userIds: [], tokenIds: [], playgroundGroups: [] }
  const onlyOwners = { ...exclude, types: [], models: [], channelIds: [], groups: [] }
  return {
    filterWithout: { ...filter, exclude: { ...exclude, ...none } },
    isExcluded: sql<SqlBool>`not (${sql.join(exclusionConditions(onlyOwners), sql` and `)})`,
  }
}

const is = (column: string, value: string | number): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} = ${value}`

const isOneOf = (column: string, values: readonly (string | number)[]): RawBuilder<SqlBool> =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`

/** Exact values or patterns with `%`. */
const matchesAny = (column: string, values: readonly string[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    values.map(value => (value.includes('%') ? isLike(column, value) : is(column, value))),
    sql` or `,
  )})`

/** Only `%` is a wildcard; `_` and the backslash are ordinary characters of names. */
const isLike = (column: string, pattern: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} like ${pattern.replace(/[\\_]/g, letter => `\\${letter}`)} escape '\\'`

function exclusionConditions(exclude: Exclusions): RawBuilder<SqlBool>[] {
  const { types, userIds, tokenIds, models, channelIds, groups, playgroundGroups } = exclude
  const listed = [
    ['type', types],
    ['user_id', userIds],
    ['token_id', tokenIds],
    ['channel_id', channelIds],
    ['group', groups],
  ] as const
  return [
    ...listed
      .filter(([, values]) => values.length > 0)
      .map(([column, values]) => not(isOneOf(column, values))),
    ...(models.length === 0 ? [] : [not(matchesAny('model_name', models))]),
    ...(playgroundGroups.length === 0
      ? []
      : [
          not(
            sql<SqlBool>`(${sql.join([is('token_id', NO_TOKEN), isOneOf('group', playgroundGroups)], sql` and `)})`,
          ),
        ]),
  ]
}

const not = (condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> => sql<SqlBool>`not ${condition}`

/** Adds the owners of the tokens, so that the index by user and time applies. Rows without a token belong to any user. */
const belongsToOwners = (tokenIds: readonly number[]): readonly RawBuilder<SqlBool>[] =>
  tokenIds.includes(NO_TOKEN)
    ? []
    : [sql<SqlBool>`user_id in (select user_id from tokens where ${isOneOf('id', tokenIds)})`]
