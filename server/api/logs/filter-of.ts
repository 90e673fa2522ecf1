import { distinctNames } from '#contract/fields.ts'
import type { LogFilters } from '#contract/logs.ts'
import type { Database } from '../../db/database.ts'
import type { LogFilter } from '../../db/log-filter.ts'
import { findOldestLogTime } from '../../db/log-reads.ts'
import { tokenIdsOfName, userIdsOfName } from '../../db/usage-reads.ts'
import { nowSeconds } from '../../kernel/clock.ts'
import { type Range, rangeOf } from './range.ts'

const TOKENS_OF_ONE_NAME_MAX = 1000
/** The playground has no token; its rows name one after the group. */
const PLAYGROUND_NAME = /^playground-(?<group>.+)$/
const NO_TOKEN = 0

export interface Wanted {
  readonly filter: LogFilter
  readonly range: Range
}

/** What a user may ask for is asked of the own rows; administrators ask of all. */
export type OwnFilters = Omit<LogFilters, 'username' | 'channel'>

export const wantedOfAll = async (db: Database, query: LogFilters): Promise<Wanted> => {
  const userIds = query.username === '' ? undefined : await userIdsOfName(db, query.username)
  return wantedOf(db, query, { userIds, channelId: query.channel })
}

export const wantedOfOwn = (db: Database, query: OwnFilters, userId: number): Promise<Wanted> =>
  wantedOf(db, query, { userIds: [userId], channelId: 0 })

export const EVERY_LOG: LogFilter = {
  types: [],
  userIds: undefined,
  tokenIds: undefined,
  models: [],
  channelId: 0,
  group: '',
  requestId: '',
}

/** Every row of one token. */
export async function wantedOfToken(db: Database, tokenId: number): Promise<Wanted> {
  const now = nowSeconds()
  const oldest = (await findOldestLogTime(db)) ?? now
  return { filter: { ...EVERY_LOG, tokenIds: [tokenId] }, range: rangeOf(0, 0, { oldest, now }) }
}

async function wantedOf(
  db: Database,
  query: OwnFilters,
  { userIds, channelId }: Pick<LogFilter, 'userIds' | 'channelId'>,
): Promise<Wanted> {
  const now = nowSeconds()
  const oldest = (await findOldestLogTime(db)) ?? now
  const filter: LogFilter = {
    types: query.type === 0 ? [] : [query.type],
    userIds,
    ...(await tokenConditions(db, query, userIds)),
    models: distinctNames(query.model_name),
    channelId,
    requestId: query.request_id,
  }
  return { filter, range: rangeOf(query.start_timestamp, query.end_timestamp, { oldest, now }) }
}

async function tokenConditions(
  db: Database,
  { token_name, group }: OwnFilters,
  userIds: readonly number[] | undefined,
): Promise<Pick<LogFilter, 'tokenIds' | 'group'>> {
  if (token_name === '') return { tokenIds: undefined, group }
  const playgroundGroup = PLAYGROUND_NAME.exec(token_name)?.groups?.group
  if (playgroundGroup !== undefined) return { tokenIds: [NO_TOKEN], group: playgroundGroup }
  const userId = userIds?.length === 1 ? userIds[0] : undefined
  return { tokenIds: await tokenIdsOfName(db, token_name, { userId, limit: TOKENS_OF_ONE_NAME_MAX }), group }
}
