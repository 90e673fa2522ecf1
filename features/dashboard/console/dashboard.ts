import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { nowSeconds } from '#console/app/format/format.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { type Range, spanFromSearch } from '#console/app/time/ranges.ts'
import { type Period, type UsageScope, usageQuery } from './queries.ts'
import { DashboardSearch, type Step } from './search-params.ts'

const MINUTE_SECONDS = 60

/**
 * The URL state of the dashboard, the period that follows from it, and the usage in this and the previous period. Refreshes
 * at the interval of the installation.
 */
export function useDashboard() {
  const search = useSearchParams(DashboardSearch)
  const set = useSetSearchParams(DashboardSearch)
  const isAdmin = hasRole(useUser(), 'admin')
  const { data_export_default_time: defaultStep, data_export_interval: intervalMinutes } = useStatus()
  const [now, setNow] = useState(nowSeconds)
  const ownStep = parseStep(defaultStep)
  const range = search.range ?? DEFAULT_RANGES[search.by ?? ownStep]
  const period = useMemo(
    () => toPeriod({ range, from: search.from, to: search.to }, isAdmin, now),
    [range, search.from, search.to, isAdmin, now],
  )
  const step = search.by ?? stepOf(period, ownStep)
  const scope: UsageScope = useMemo(
    () => ({ isAdmin, username: isAdmin ? search.user : '' }),
    [isAdmin, search.user],
  )
  const usage = useQuery(usageQuery(scope, period))
  const previousUsage = useQuery(usageQuery(scope, previousPeriod(period)))
  const refresh = useCallback(() => setNow(nowSeconds()), [])
  useEffect(() => {
    const dueMs = (now + intervalMinutes * MINUTE_SECONDS - nowSeconds()) * 1000
    const timer = setTimeout(refresh, dueMs)
    return () => clearTimeout(timer)
  }, [now, refresh, intervalMinutes])
  const { view: measure } = search
  return { search, set, isAdmin, step, range, period, scope, measure, usage, previousUsage, refresh }
}

export type Dashboard = ReturnType<typeof useDashboard>

const DEFAULT_RANGES: Readonly<Record<Step, Range>> = { hour: '24h', day: '7d', week: '30d' }

/** The default step of the installation. An unknown value counts as `hour`. */
const parseStep = (text: string): Step => (text === 'day' || text === 'week' ? text : 'hour')

const WEEK_SECONDS = 7 * 24 * 3600

/** The step of a period for which none is chosen: hours would be hairlines in a month. */
export const stepOf = ({ start, end }: Period, ownStep: Step): Step =>
  ownStep === 'hour' && end - start > WEEK_SECONDS ? 'day' : ownStep

/** The longest period that the API accepts from ordinary users. */
const SELF_PERIOD_MAX_SECONDS = 30 * 24 * 3600

interface RangeParams {
  readonly range: Range
  readonly from: string
  readonly to: string
}

/** The period of the URL. An open end becomes `now`; ordinary users get at most the last 30 days of it. */
export function toPeriod(params: RangeParams, isAdmin: boolean, now: number): Period {
  const span = spanFromSearch(params, now)
  const end = span.end === 0 ? now : span.end
  const startMin = end - SELF_PERIOD_MAX_SECONDS
  return isAdmin || span.start >= startMin
    ? { start: span.start, end, isCut: false }
    : { start: startMin, end, isCut: true }
}

/** The period of the same length that ends where `period` starts. */
export const previousPeriod = ({ start, end }: Period): Period => ({
  start: start - (end - start),
  end: start - 1,
  isCut: false,
})
