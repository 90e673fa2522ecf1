import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { type Range, type TimeSpan, spanFromSearch } from '../../app/time/ranges.ts'
import { hasRole, useUser } from '../../app/session/session.ts'
import { useStatus } from '../../app/api/status.ts'
import { nowSeconds } from '../../app/time/time.tsx'
import { useSetSearchParams, useSearchParams } from '../../app/router/search-params.ts'
import { usageQuery, type UsageScope } from './queries.ts'
import { DetailSearch, type Measure, type Step } from './search-params.ts'

/** What the address asks for, and its figures. */
export function useDashboard() {
  const search = useSearchParams(DetailSearch)
  const set = useSetSearchParams(DetailSearch)
  const isAdmin = hasRole(useUser(), 'admin')
  const { data_export_default_time: firstStep } = useStatus()
  const [now, setNow] = useState(nowSeconds)
  const step = search.by ?? parseStep(firstStep)
  const range: Range = search.range ?? defaultRange(step)
  const period = useMemo(
    () => toPeriod({ range, from: search.from, to: search.to }, isAdmin, now),
    [range, search.from, search.to, isAdmin, now],
  )
  const scope: UsageScope = useMemo(
    () => ({ isAdmin, username: isAdmin ? search.user : '' }),
    [isAdmin, search.user],
  )
  const usage = useQuery(usageQuery(scope, period))
  const before = useQuery(usageQuery(scope, previousPeriod(period)))
  const refresh = useCallback(() => setNow(nowSeconds()), [])
  const { view: measure } = search
  return { search, set, isAdmin, step, range, period, scope, measure, usage, before, refresh }
}

export type Dashboard = ReturnType<typeof useDashboard>

/** What ordinary users may ask for at once: thirty days. */
const SELF_PERIOD_MAX_SECONDS = 30 * 24 * 3600

const DEFAULT_RANGES: Readonly<Record<Step, Range>> = { hour: '24h', day: '7d', week: '30d' }

/** A step of the installation that is none counts as hours. */
const parseStep = (text: string): Step => (text === 'day' || text === 'week' ? text : 'hour')

/** How far back a step looks at first. */
const defaultRange = (step: Step): Range => DEFAULT_RANGES[step]

/** Unix seconds; both ends are moments, an open end is now. */
export interface Period {
  readonly start: number
  readonly end: number
  /** It was longer than this reader may ask for. */
  readonly isCut: boolean
}

interface RangeParams {
  readonly range: Range
  readonly from: string
  readonly to: string
}

/** The stretch that an address asks for, cut to what the reader may see. */
export function toPeriod(wanted: RangeParams, isAdmin: boolean, now: number): Period {
  const span: TimeSpan = spanFromSearch(wanted, now)
  const end = span.end === 0 ? now : span.end
  const least = end - SELF_PERIOD_MAX_SECONDS
  return isAdmin || span.start >= least
    ? { start: span.start, end, isCut: false }
    : { start: least, end, isCut: true }
}

/** The stretch of the same length before it. */
export const previousPeriod = ({ start, end }: Period): Period => ({
  start: start - (end - start),
  end: start - 1,
  isCut: false,
})

export type Sums = Readonly<Record<Measure, number>>
