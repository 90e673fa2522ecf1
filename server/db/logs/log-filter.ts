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
  readonly exclude: Exclusions
}

/** Rows that have one of these are left out. */
export interface Exclusions {
  readonly types: readonly number[]
  readonly userIds: readonly number[]
  readonly tokenIds: readonly number[]
  /** Exact names, or patterns with `%`. */
  readonly models: readonly string[]
  readonly channelIds: readonly number[]
  readonly groups: readonly string[]
  /** Groups whose calls from the playground, which have no token, are left out. */
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

/** Seconds; `from` included, `until` not. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

const is = (column: string, value: string | number): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} = ${value}`

const isOneOf = (column: string, values: readonly (string | number)[]): RawBuilder<SqlBool> =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`

const hasModel = (models: readonly string[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    models.map(model => (model.includes('%') ? isLike(model) : sql`model_name = ${model}`)),
    sql` or `,
  )})`

/** Only `%` stands for anything; the other signs of patterns are letters of names. */
const isLike = (model: string): RawBuilder<unknown> =>
  sql`model_name like ${model.replace(/[\\_]/g, letter => `\\${letter}`)} escape '\\'`

function exclusionConditions(without: Exclusions): RawBuilder<SqlBool>[] {
  const { types, userIds, tokenIds, models, channelIds, groups, playgroundGroups } = without
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
    ...(models.length === 0 ? [] : [not(hasModel(models))]),
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

/** It does not matter whose a row is: neither users nor tokens are asked for or left out. */
export const coversAllUsers = ({ userIds, tokenIds, exclude }: LogFilter): boolean =>
  userIds === undefined &&
  tokenIds === undefined &&
  [exclude.userIds, exclude.tokenIds, exclude.playgroundGroups].every(ids => ids.length === 0)

interface OwnerExclusion {
  /** The filter without what it leaves out by user and token. */
  readonly filterWithout: LogFilter
  /** Holds for a row that is left out for its user or its token. */
  readonly isExcluded: RawBuilder<SqlBool>
}

/** Undefined unless the filter asks for no users and tokens but leaves some out. */
export function splitOwnerExclusions(filter: LogFilter): OwnerExclusion | undefined {
  const { userIds, tokenIds, exclude } = filter
  if (userIds || tokenIds || coversAllUsers(filter)) return undefined
  const none = { userIds: [], tokenIds: [], playgroundGroups: [] }
  const onlyOwners = { ...exclude, types: [], models: [], channelIds: [], groups: [] }
  return {
    filterWithout: { ...filter, exclude: { ...exclude, ...none } },
    isExcluded: sql<SqlBool>`not (${sql.join(exclusionConditions(onlyOwners), sql` and `)})`,
  }
}

/** Rows of a token are its owner's: by user and time they are found at once. Rows without a token are anybody's. */
const belongsToOwners = (tokenIds: readonly number[]): readonly RawBuilder<SqlBool>[] =>
  tokenIds.includes(NO_TOKEN)
    ? []
    : [sql<SqlBool>`user_id in (select user_id from tokens where ${isOneOf('id', tokenIds)})`]

/** The conditions on the columns that `logs` and `usage_hours` share. */
export function sharedConditions(filter: LogFilter): RawBuilder<SqlBool> {
  const { types, userIds, tokenIds, models, channelId, group, exclude } = filter
  const conditions = [
    ...(types.length === 0 ? [] : [isOneOf('type', types)]),
    ...(userIds ? [isOneOf('user_id', userIds)] : []),
    ...(tokenIds ? [isOneOf('token_id', tokenIds), ...belongsToOwners(tokenIds)] : []),
    ...(models.length === 0 ? [] : [hasModel(models)]),
    ...(channelId === 0 ? [] : [is('channel_id', channelId)]),
    ...(group === '' ? [] : [is('group', group)]),
    ...exclusionConditions(exclude),
  ]
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}
