import type { AnalyticsBucket } from '#contract/enums.ts'
import { distinctNames } from '#contract/fields.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { dayOffsets, type OffsetChange } from '#server/core/time-zone.ts'
import { endOfHour, startOfHour } from '#server/core/usage.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { findTokenIdsByName, findUserIdsByName } from '#server/db/logs/log-names.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import { type AnalyticsFilter, type Grain, OWNER_DIMENSIONS } from '#server/db/usage/analytics-source.ts'
import {
  ANALYTICS_MINUTES_SECONDS,
  ANALYTICS_SECONDS_MAX,
  ANALYTICS_SLOTS_MAX,
  type AnalyticsQuery,
} from '../contract.ts'
import type { TagScope } from './queries/tagged-source.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

export const BUCKET_SECONDS: Readonly<Record<AnalyticsBucket, number>> = {
  minute: MINUTE,
  five_minutes: 5 * MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
}

const TOKENS_OF_ONE_NAME_MAX = 1000
/** Tags are beside log rows, which take longer to read than totals. */
const TAGGED_SECONDS_MAX = 92 * DAY

const analyticsError = apiErrors('analytics', {
  period_too_long: { zh: '时间跨度不能超过 400 天', en: 'the period cannot exceed 400 days' },
  tags_too_long: {
    zh: '按标签统计的时间跨度不能超过 92 天',
    en: 'with tags the period cannot exceed 92 days',
  },
  tag_key_missing: { zh: '按标签分组时须指定标签名 tag_key', en: 'tag_key must name the tag to group by' },
  period_reversed: { zh: '结束时间必须晚于开始时间', en: 'the end must be after the start' },
  minutes_gone: {
    zh: '分钟数据只保留 48 小时，请选择更长的时间粒度',
    en: 'minutes are kept for 48 hours; choose a longer bucket',
  },
  too_many_slots: {
    zh: `时间段不能超过 ${ANALYTICS_SLOTS_MAX} 个，请选择更长的时间粒度`,
    en: `there are at most ${ANALYTICS_SLOTS_MAX} slots; choose a longer bucket`,
  },
})

/** The selection of a report. */
export interface AnalyticsSelection {
  readonly range: TimeRange
  readonly previous: TimeRange
  readonly bucket: AnalyticsBucket
  /** By which the local days of the slots begin. */
  readonly offsets: readonly OffsetChange[]
  /** Of totals. */
  readonly grain: Grain
  /** Of the slots. */
  readonly slotGrain: Grain
  readonly filter: AnalyticsFilter
  readonly tags: TagScope | undefined
}

type PeriodQuery = Pick<
  AnalyticsQuery,
  'start_timestamp' | 'end_timestamp' | 'bucket' | 'utc_offset' | 'time_zone' | 'by' | 'second'
>

interface PeriodFacts {
  readonly now: number
  readonly ownZone: string
  /** From when on hours by user and token are kept. */
  readonly hoursFrom: number
  readonly tags: TagScope | undefined
}

/** Chooses by the period: at most a few hundred slots. */
function chooseBucket(seconds: number): AnalyticsBucket {
  if (seconds <= 2 * HOUR) return 'minute'
  if (seconds <= 12 * HOUR) return 'five_minutes'
  if (seconds <= 4 * DAY) return 'hour'
  return seconds <= 120 * DAY ? 'day' : 'week'
}

/** Throws for periods that are too long for their bucket. */
export function selectPeriod(
  query: PeriodQuery,
  filter: AnalyticsFilter,
  facts: PeriodFacts,
): AnalyticsSelection {
  const until = query.end_timestamp || facts.now
  const from = query.start_timestamp || until - DAY
  if (until <= from) throw analyticsError('period_reversed')
  if (until - from > ANALYTICS_SECONDS_MAX) throw analyticsError('period_too_long')
  if (facts.tags && until - from > TAGGED_SECONDS_MAX) throw analyticsError('tags_too_long')
  const isRecent = from >= facts.now - ANALYTICS_MINUTES_SECONDS
  const chosen = query.bucket || chooseBucket(until - from)
  const isByMinutes = BUCKET_SECONDS[chosen] < HOUR
  if (isByMinutes && !isRecent && query.bucket) throw analyticsError('minutes_gone')
  const bucket = isByMinutes && !isRecent ? 'hour' : chosen
  if ((until - from) / BUCKET_SECONDS[bucket] > ANALYTICS_SLOTS_MAX) throw analyticsError('too_many_slots')
  const offsets = dayOffsets(query, { from, until }, facts.ownZone)
  const grain = chooseGrain(
    { from, until },
    { bucket, offsets, hoursFrom: findHoursFrom(query, filter, facts) },
  )
  return { bucket, filter, tags: facts.tags, offsets, ...grain }
}

/** Hours of all users are always kept. */
function findHoursFrom({ by, second }: PeriodQuery, filter: AnalyticsFilter, facts: PeriodFacts): number {
  const names = [by, second, ...Object.keys(filter)]
  return OWNER_DIMENSIONS.some(name => names.includes(name)) ? facts.hoursFrom : 0
}

/** The totals that are read, and the period in whole ones of these. Only the days of UTC are rolled up. */
function chooseGrain(
  { from, until }: TimeRange,
  {
    bucket,
    offsets,
    hoursFrom,
  }: Pick<AnalyticsSelection, 'bucket' | 'offsets'> & { readonly hoursFrom: number },
) {
  if (BUCKET_SECONDS[bucket] < HOUR) {
    const range = aligned({ from, until }, BUCKET_SECONDS[bucket])
    return { range, previous: before(range), grain: 'minute', slotGrain: 'minute' } as const
  }
  const isUtc = offsets.every(({ seconds }) => seconds === 0)
  const isByDays = from < hoursFrom || (bucket !== 'hour' && isUtc)
  const range = inHours({ from, until }, hoursFrom)
  const previous = inHours(before(range), hoursFrom)
  return { range, previous, grain: 'day', slotGrain: isByDays ? 'day' : 'hour' } as const
}

const aligned = ({ from, until }: TimeRange, seconds: number): TimeRange => ({
  from: Math.floor(from / seconds) * seconds,
  until: Math.ceil(until / seconds) * seconds,
})

/** A period in whole hours. An edge whose hours are gone moves to the nearest day of UTC, so that days still add up. */
function inHours({ from, until }: TimeRange, hoursFrom: number): TimeRange {
  const nearestDay = (seconds: number): number => Math.round(seconds / DAY) * DAY
  const range = {
    from: from < hoursFrom ? nearestDay(from) : startOfHour(from),
    until: until < hoursFrom ? nearestDay(until) : endOfHour(until - 1),
  }
  return range.from < range.until ? range : aligned({ from, until }, DAY)
}

const before = ({ from, until }: TimeRange): TimeRange => ({ from: from - (until - from), until: from })

/** The key to group by and the tag to filter by, as `key=value` or a key with any value. Undefined without either. */
export function selectTags(
  { by, second, tag_key: key, tag }: Pick<AnalyticsQuery, 'by' | 'second' | 'tag_key' | 'tag'>,
  engine: Engine,
): TagScope | undefined {
  const isGrouped = by === 'tag' || second === 'tag'
  if (isGrouped && key === '') throw analyticsError('tag_key_missing')
  if (!isGrouped && tag === '') return undefined
  const [name = '', ...value] = tag.split('=')
  const tagFilter = { key: name, value: value.length === 0 ? undefined : value.join('=') }
  return { engine, key: isGrouped ? key : '', tagFilter: tag === '' ? undefined : tagFilter }
}

const toIds = (list: string): number[] => list.split(',').map(Number)

type UnfilteredField =
  | 'username'
  | 'channel'
  | 'organization'
  | 'by'
  | 'second'
  | 'measure'
  | 'tag_key'
  | 'tag'

/** The filters of a query over all users. */
export async function selectAll(db: Database, query: AnalyticsQuery): Promise<AnalyticsFilter> {
  const { username, channel, organization } = query
  const userIds = username === '' ? undefined : await findUserIdsByName(db, [username])
  return {
    ...(await selectShared(db, query, userIds?.[0])),
    ...(userIds && { user: userIds }),
    ...(channel !== '' && { channel: toIds(channel) }),
    ...(organization !== '' && { organization: toIds(organization) }),
  }
}

/** The filters of a query over the requests of one user. */
export const selectOwn = async (
  db: Database,
  query: Omit<AnalyticsQuery, UnfilteredField>,
  userId: number,
): Promise<AnalyticsFilter> => ({ ...(await selectShared(db, query, userId)), user: [userId] })

async function selectShared(
  db: Database,
  query: Omit<AnalyticsQuery, UnfilteredField>,
  userId: number | undefined,
): Promise<AnalyticsFilter> {
  const { model_name, token_name, group, dialect, error, region, member, project, plan } = query
  return {
    ...(model_name !== '' && { model: distinctNames(model_name) }),
    ...(token_name !== '' && {
      token: await findTokenIdsByName(db, [token_name], { userId, limit: TOKENS_OF_ONE_NAME_MAX }),
    }),
    ...(group !== '' && { group: [group] }),
    ...(dialect !== '' && { dialect: [dialect] }),
    ...(error !== '' && { error: [error] }),
    ...(region !== '' && { region: [region] }),
    ...(member !== '' && { member: toIds(member) }),
    ...(project !== '' && { project: toIds(project) }),
    ...(plan !== '' && { plan: [plan] }),
  }
}
