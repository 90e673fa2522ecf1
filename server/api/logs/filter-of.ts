import { distinctNames } from '#contract/fields.ts'
import type { LogFilters } from '#contract/logs/log-filters.ts'
import { nowSeconds } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { ALL_LOGS, type Exclusions, type LogFilter, NO_TOKEN } from '../../db/log-filter.ts'
import { findOldestLogTime } from '../../db/log-reads.ts'
import { findTokenIdsByName, findUserIdsByName } from '../../db/usage-reads.ts'
import { type Range, rangeOf } from './range.ts'

const TOKENS_OF_ONE_NAME_MAX = 1000
/** The playground has no token; its rows name one after the group. */
const PLAYGROUND_NAME = /^playground-(?<group>.+)$/

export interface Wanted {
  readonly filter: LogFilter
  readonly range: Range
}

/** What a user may ask for is asked of the own rows; administrators ask of all. */
export type OwnFilters = Omit<LogFilters, 'username' | 'channel' | 'not_username' | 'not_channel'>

type AdminsOnly = Pick<LogFilter, 'userIds' | 'channelId'> &
  Pick<Exclusions, 'channelIds'> & {
    readonly userIdsLeftOut: readonly number[]
  }

export async function wantedOfAll(db: Database, query: LogFilters): Promise<Wanted> {
  const { username, channel, not_username, not_channel } = query
  return wantedOf(db, query, {
    userIds: username === '' ? undefined : await findUserIdsByName(db, [username]),
    channelId: channel,
    userIdsLeftOut: await findUserIdsByName(db, linesOf(not_username)),
    channelIds: numbersIn(not_channel),
  })
}

export const wantedOfOwn = (db: Database, query: OwnFilters, userId: number): Promise<Wanted> =>
  wantedOf(db, query, { userIds: [userId], channelId: 0, userIdsLeftOut: [], channelIds: [] })

/** Every row of one token. */
export async function wantedOfToken(db: Database, tokenId: number): Promise<Wanted> {
  const now = nowSeconds()
  const oldest = (await findOldestLogTime(db)) ?? now
  return { filter: { ...ALL_LOGS, tokenIds: [tokenId] }, range: rangeOf(0, 0, { oldest, now }) }
}

async function wantedOf(
  db: Database,
  query: OwnFilters,
  { userIds, channelId, userIdsLeftOut, channelIds }: AdminsOnly,
): Promise<Wanted> {
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
    exclude: {
      types: numbersIn(query.not_type),
      userIds: userIdsLeftOut,
      ...(await tokensLeftOut(db, query, owner)),
      models: distinctNames(query.not_model_name),
      channelIds,
      groups: linesOf(query.not_group),
    },
  }
  return { filter, range: rangeOf(query.start_timestamp, query.end_timestamp, { oldest, now }) }
}

async function tokenConditions(
  db: Database,
  { token_name, group }: OwnFilters,
  userId: number | undefined,
): Promise<Pick<LogFilter, 'tokenIds' | 'group'>> {
  if (token_name === '') return { tokenIds: undefined, group }
  const playgroundGroup = playgroundGroupOf(token_name)
  if (playgroundGroup !== undefined) return { tokenIds: [NO_TOKEN], group: playgroundGroup }
  const limit = TOKENS_OF_ONE_NAME_MAX
  return { tokenIds: await findTokenIdsByName(db, [token_name], { userId, limit }), group }
}

async function tokensLeftOut(
  db: Database,
  { not_token_name }: OwnFilters,
  userId: number | undefined,
): Promise<Pick<Exclusions, 'tokenIds' | 'playgroundGroups'>> {
  const names = linesOf(not_token_name)
  const limit = TOKENS_OF_ONE_NAME_MAX * names.length
  return {
    tokenIds: await findTokenIdsByName(db, names, { userId, limit }),
    playgroundGroups: names.flatMap(name => playgroundGroupOf(name) ?? []),
  }
}

const playgroundGroupOf = (tokenName: string): string | undefined =>
  PLAYGROUND_NAME.exec(tokenName)?.groups?.group

/** Names of tokens and users may hold commas: these stand one a line. */
const linesOf = (text: string): string[] => [...new Set(text.split('\n').filter(line => line.trim() !== ''))]

const numbersIn = (text: string): number[] => distinctNames(text).map(Number)
