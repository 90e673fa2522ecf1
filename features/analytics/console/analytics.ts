import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import {
  formatMoney,
  formatNumber,
  localTimeZone,
  maskedMoney,
  useMoney,
} from '#console/app/format/format.tsx'
import { useIsMasked } from '#console/app/preferences/privacy.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import {
  ANALYTICS_DIMENSIONS,
  ANALYTICS_MEASURES,
  type AnalyticsBucket,
  type AnalyticsDimension,
  type AnalyticsMeasure,
  OWN_ANALYTICS_DIMENSIONS,
  OWN_ANALYTICS_MEASURES,
} from '#contract/enums.ts'
import { formatDuration, isMoney, isPercentile, NANOS_PER_UNIT } from './figures.ts'
import { type ReportQuery, reportQuery, tagKeysQuery } from './queries.ts'
import { AnalyticsSearch } from './search-params.ts'

const GROUPS_SHOWN = 50
const MINUTE_SECONDS = 60

/** The URL state of the analytics, and the report that follows from it. */
export function useAnalytics() {
  const search = useSearchParams(AnalyticsSearch)
  const set = useSetSearchParams(AnalyticsSearch)
  const isAdmin = hasRole(useUser(), 'admin')
  const time = useTimeRange(search, '7d')
  const dimensions: readonly AnalyticsDimension[] = isAdmin ? ANALYTICS_DIMENSIONS : OWN_ANALYTICS_DIMENSIONS
  const measures: readonly AnalyticsMeasure[] = isAdmin ? ANALYTICS_MEASURES : OWN_ANALYTICS_MEASURES
  const measure = measures.includes(search.measure) ? search.measure : 'requests'
  const tagKeys = useQuery(tagKeysQuery).data ?? []
  const tagKey = search.key || (tagKeys[0] ?? '')
  const isKnown = (name: AnalyticsDimension) => dimensions.includes(name) && (name !== 'tag' || tagKey !== '')
  const first = isKnown(search.first) ? search.first : 'model'
  const second: AnalyticsDimension | '' = search.second !== '' && isKnown(search.second) ? search.second : ''
  const { start, end } = time.span
  const request: ReportQuery = useMemo(() => {
    const { bucket, compare, model, channel, token, user, organization } = search
    const { group, dialect, error, region, member, project, plan, tag } = search
    const own = {
      model_name: model,
      token_name: token,
      group,
      dialect,
      error,
      region,
      member,
      project,
      plan,
      tag,
    }
    return {
      isAdmin,
      query: {
        by: first,
        second: second === first ? '' : second,
        measure,
        bucket,
        compare: compare === '' ? 'false' : 'true',
        start_timestamp: start,
        end_timestamp: end === 0 ? 0 : end + 1,
        time_zone: localTimeZone(),
        limit: GROUPS_SHOWN,
        tag_key: first === 'tag' || second === 'tag' ? tagKey : '',
        ...own,
        ...(isAdmin && { username: user, channel, organization }),
      },
    }
  }, [search, isAdmin, first, second, tagKey, measure, start, end])
  const report = useQuery(reportQuery(request))
  const format = useMeasureFormat()
  // Persons have neither members nor projects.
  const hasMembers =
    isAdmin || (report.data && 'is_organization' in report.data && report.data.is_organization)
  const offered = dimensions.filter(name => hasMembers || (name !== 'member' && name !== 'project'))
  return {
    ...{ search, set, isAdmin, time, dimensions, offered, measures, measure, first, second, tagKeys, tagKey },
    ...{ request, report, format },
  }
}

export type Analytics = ReturnType<typeof useAnalytics>

/** Formats a measure: amounts in billionths of a dollar, durations in milliseconds. The same function while the rules last. */
function useMeasureFormat() {
  const { quotaPerUnit, isInCurrency, language } = useMoney()
  const isMasked = useIsMasked()
  return useCallback(
    (value: number, measure: AnalyticsMeasure): string => {
      if (isPercentile(measure)) return formatDuration(value, language)
      if (!isMoney(measure)) return formatNumber(value, language)
      if (isMasked) return maskedMoney()
      return formatMoney(value / NANOS_PER_UNIT, { quotaPerUnit, isInCurrency, language })
    },
    [quotaPerUnit, isInCurrency, language, isMasked],
  )
}

export const BUCKET_SECONDS: Readonly<Record<AnalyticsBucket, number>> = {
  minute: MINUTE_SECONDS,
  five_minutes: 5 * MINUTE_SECONDS,
  hour: 3600,
  day: 86_400,
  week: 7 * 86_400,
}
