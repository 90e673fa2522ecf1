import { handle } from '#server/api/handle.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { startOfHour } from '#server/core/usage.ts'
import type { Database } from '#server/db/engine/database.ts'
import { findUserIdsByName } from '#server/db/logs/log-names.ts'
import { defineFeature } from '#server/feature.ts'
import { listSelfUsage, listUsage, OWN_USAGE_SECONDS_MAX, USAGE_ROWS_MAX } from '../contract.ts'
import { listModelHours } from './queries.ts'

const usageError = apiErrors('usage', {
  span_too_long: { zh: '时间跨度不能超过 30 天', en: 'the time range cannot exceed 30 days' },
})

interface UsageUser {
  readonly id: number
  readonly name: string
}

interface UsageRange {
  readonly start_timestamp: number
  readonly end_timestamp: number
}

const routes = [
  handle(listUsage, async ({ reader, query }) => {
    if (query.username === '') return listUsageRows(reader, undefined, query)
    const [id] = await findUserIdsByName(reader, [query.username])
    return id === undefined ? [] : listUsageRows(reader, { id, name: query.username }, query)
  }),

  handle(listSelfUsage, async ({ reader, query, caller }) => {
    const end_timestamp = query.end_timestamp || nowSeconds()
    const start_timestamp = query.start_timestamp || end_timestamp - OWN_USAGE_SECONDS_MAX
    if (end_timestamp - start_timestamp > OWN_USAGE_SECONDS_MAX) throw usageError('span_too_long')
    return listUsageRows(reader, { id: caller.id, name: caller.username }, { start_timestamp, end_timestamp })
  }),
]

/** Usage is stored by the hour, so the range starts with one. */
async function listUsageRows(reader: Database, user: UsageUser | undefined, range: UsageRange) {
  const { start_timestamp, end_timestamp } = range
  const hours = await listModelHours(reader, {
    userId: user?.id,
    from: startOfHour(start_timestamp),
    to: end_timestamp || nowSeconds(),
    limit: USAGE_ROWS_MAX,
  })
  return hours.map(({ model_name, hour, tokens, count, quota }, index) => ({
    id: index + 1,
    user_id: user?.id ?? 0,
    username: user?.name ?? '',
    model_name,
    created_at: hour,
    token_used: tokens,
    count,
    quota,
  }))
}

export const feature = defineFeature({ start: () => ({ routes }) })
