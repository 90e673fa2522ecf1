import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { TAG_REPORT_SECONDS_MAX, TAG_VALUES_MAX, type TagQuery, type TagReport } from '../contract.ts'
import { listTagUse } from './queries.ts'

const DAY = 86_400

const tagError = apiErrors('tag', {
  wrong_period: { zh: '结束时间必须晚于开始时间', en: 'the end of the period must be after its start' },
  period_too_long: { zh: '时间跨度不能超过 92 天', en: 'the period cannot exceed 92 days' },
})

interface ReportScope {
  readonly keys: readonly string[]
  /** Undefined: of all users. */
  readonly userId: number | undefined
}

/** Requests by the values of a key. A key that is no longer in use still has its values. */
export async function buildTagReport(
  db: Database,
  { key: named, start_timestamp, end_timestamp }: TagQuery,
  { keys, userId }: ReportScope,
): Promise<TagReport> {
  const until = end_timestamp || nowSeconds() + 1
  const from = start_timestamp || until - DAY
  if (until <= from) throw tagError('wrong_period')
  if (until - from > TAG_REPORT_SECONDS_MAX) throw tagError('period_too_long')
  const key = named || (keys[0] ?? '')
  const range = { from, until }
  const found = key === '' ? [] : await listTagUse(db, { key, range, userId, limit: TAG_VALUES_MAX + 1 })
  return {
    keys: [...keys],
    key,
    start_timestamp: from,
    end_timestamp: until,
    values: found
      .slice(0, TAG_VALUES_MAX)
      .map(({ promptTokens: prompt_tokens, completionTokens: completion_tokens, ...use }) => ({
        ...use,
        prompt_tokens,
        completion_tokens,
      })),
    has_more: found.length > TAG_VALUES_MAX,
  }
}
