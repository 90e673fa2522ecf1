import { distinctNames } from '#contract/fields.ts'
import type { ApiCaller } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { endOfHour, startOfHour } from '#server/core/usage.ts'
import type { Database } from '#server/db/engine/database.ts'
import {
  ALL_LOGS,
  type Exclusions,
  type LogFilter,
  NO_TOKEN,
  type TimeRange,
} from '#server/db/logs/log-filter.ts'
import { findTokenIdsByName, findUserIdsByName } from '#server/db/logs/log-names.ts'
import { HOUR_SECONDS } from '#server/db/usage/usage-hours.ts'
import type { LogFilters } from '../contract/log-filters.ts'
import { findOldestLogTime } from './queries/log-reads.ts'
import type { ExactRange } from './queries/usage-reads.ts'
import { findVisibleTokenIds } from './queries/visible-tokens.ts'

/** Later than the time of any row. */
const OPEN_END = 1e12

const hourAtOrBefore = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS
const hourAtOrAfter = (seconds: number): number => Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS

/**
 * Splits a time range (Unix seconds, both ends included, 0 open) into whole hours and edges. The range starts at
 * `oldest`, because there are no earlier rows; an end in the future is open.
 */
export function toLogRange(
  start: number,
  end: number,
  { oldest, now }: { oldest: number; now: number },
): ExactRange {
  const from = Math.max(start, oldest)
  const until = Math.max(end === 0 || end >= now ? OPEN_END : end + 1, from)
  const hours = { from: hourAtOrAfter(from), until: until === OPEN_END ? until : hourAtOrBefore(until) }
  if (hours.from >= hours.until)
    return { from, until, hours: { from, until: from }, edges: halves({ from, until }, hours.from) }
  const edges = [
    { from, until: hours.from },
    { from: hours.until, until },
  ]
  return { from, until, hours, edges: edges.filter(isNotEmpty) }
}

/** A range that contains no whole hour may still cross the boundary between two hours. */
const halves = ({ from, until }: TimeRange, at: number): readonly TimeRange[] =>
  [
    { from, until: Math.min(at, until) },
    { from: Math.min(at, until), until },
  ].filter(isNotEmpty)

const isNotEmpty = ({ from, until }: TimeRange): boolean => from < until

/** Extends a range to hours as `startOfHour` cuts them, for charts. An empty range stays empty. */
export const touchedHours = ({ from, until }: TimeRange): TimeRange => {
  if (from >= until) return { from, until: from }
  return { from: startOfHour(from), until: until === OPEN_END ? until : endOfHour(until - 1) }
}

const TOKENS_OF_ONE_NAME_MAX = 1000

/** Playground requests have no token; their rows are named after the group instead. */
const PLAYGROUND_NAME = /^playground-(?<group>.+)$/

export interface LogSelection {
  readonly filter: LogFilter
  readonly range: ExactRange
  /** The tokens that may be known of, whatever the filter selects; undefined: all of the users. */
  readonly visibleTokenIds?: readonly number[] | undefined
}

/** The filters that users may apply to their own rows. */
export type OwnLogFilters = Omit<LogFilters, 'username' | 'channel' | 'not_username' | 'not_channel'>

type AdminFilters = Pick<LogFilter, 'userIds' | 'channelId'> &
  Pick<Exclusions, 'channelIds'> & {
    readonly excludedUserIds: readonly number[]
  }

/** Selects among the rows of all users, for administrators. */
export async function selectAllLogs(db: Database, query: LogFilters): Promise<LogSelection> {
  const { username, channel, not_username, not_channel } = query
  return toSelection(db, query, {
    userIds: username === '' ? undefined : await findUserIdsByName(db, [username]),
    channelId: channel,
    excludedUserIds: await findUserIdsByName(db, distinctLines(not_username)),
    channelIds: parseNumbers(not_channel),
  })
}

/** Selects among the rows of one user, or of a member of an organisation. */
export async function selectOwnLogs(
  db: Database,
  query: OwnLogFilters,
  caller: Pick<ApiCaller, 'id' | 'member'>,
): Promise<LogSelection> {
  const own = { userIds: [caller.id], channelId: 0, excludedUserIds: [], channelIds: [] }
  const { filter, range } = await toSelection(db, query, own)
  const visibleTokenIds = await findVisibleTokenIds(db, caller)
  if (!visibleTokenIds) return { filter, range }
  const selected = filter.tokenIds && new Set(filter.tokenIds)
  const tokenIds = selected ? visibleTokenIds.filter(id => selected.has(id)) : visibleTokenIds
  return { filter: { ...filter, tokenIds }, range, visibleTokenIds }
}

/** Selects all rows of one token. */
export async function selectTokenLogs(db: Database, tokenId: number): Promise<LogSelection> {
  const now = nowSeconds()
  const oldest = (await findOldestLogTime(db)) ?? now
  return { filter: { ...ALL_LOGS, tokenIds: [tokenId] }, range: toLogRange(0, 0, { oldest, now }) }
}

async function toSelection(
  db: Database,
  query: OwnLogFilters,
  { userIds, channelId, excludedUserIds, channelIds }: AdminFilters,
): Promise<LogSelection> {
  const now = nowSeconds()
  const oldest = (await findOldestLogTime(db)) ?? now
  const owner = userIds?.length === 1 ? userIds[0] : undefined
  const filter: LogFilter = {
    types: query.type === 0 ? [] : [query.type],
    userIds,
    ...(await tokenConditions(db, query, owner)),
    models: distinctNames(query.model_name),
    channelId,
    requestId: query.request_id,
    tag: query.tag,
    errors: distinctLines(query.error),
    exclude: {
      types: parseNumbers(query.not_type),
      userIds: excludedUserIds,
      ...(await excludedTokens(db, query, owner)),
      models: distinctNames(query.not_model_name),
      channelIds,
      groups: distinctLines(query.not_group),
    },
  }
  return { filter, range: toLogRange(query.start_timestamp, query.end_timestamp, { oldest, now }) }
}

async function tokenConditions(
  db: Database,
  { token_name, group }: OwnLogFilters,
  userId: number | undefined,
): Promise<Pick<LogFilter, 'tokenIds' | 'group'>> {
  if (token_name === '') return { tokenIds: undefined, group }
  const playgroundGroup = playgroundGroupOf(token_name)
  if (playgroundGroup !== undefined) return { tokenIds: [NO_TOKEN], group: playgroundGroup }
  const limit = TOKENS_OF_ONE_NAME_MAX
  return { tokenIds: await findTokenIdsByName(db, [token_name], { userId, limit }), group }
}

async function excludedTokens(
  db: Database,
  { not_token_name }: OwnLogFilters,
  userId: number | undefined,
): Promise<Pick<Exclusions, 'tokenIds' | 'playgroundGroups'>> {
  const names = distinctLines(not_token_name)
  const limit = TOKENS_OF_ONE_NAME_MAX * names.length
  return {
    tokenIds: await findTokenIdsByName(db, names, { userId, limit }),
    playgroundGroups: names.flatMap(name => playgroundGroupOf(name) ?? []),
  }
}

const playgroundGroupOf = (tokenName: string): string | undefined =>
  PLAYGROUND_NAME.exec(tokenName)?.groups?.group

/** Names and error codes may contain commas, so these lists have one name per line. */
const distinctLines = (text: string): string[] => [
  ...new Set(text.split('\n').filter(line => line.trim() !== '')),
]

const parseNumbers = (text: string): number[] => distinctNames(text).map(Number)
