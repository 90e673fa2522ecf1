import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { Range } from '../../app/time/ranges.ts'
import { hasRole, useUser } from '../../app/session/session.ts'
import { useStatus } from '../../app/api/status.ts'
import { nowSeconds } from '../../app/time/time.tsx'
import { useSetSearchParams, useSearchParams } from '../../app/router/search-params.ts'
import { periodBefore, periodOf, rangeOf, stepOf } from './period.ts'
import { usageQuery, type Whose } from './queries.ts'
import { DetailSearch } from './search.ts'

/** What the address asks for, and its figures. */
export function useDashboard() {
  const search = useSearchParams(DetailSearch)
  const set = useSetSearchParams(DetailSearch)
  const isAdmin = hasRole(useUser(), 'admin')
  const { data_export_default_time: firstStep } = useStatus()
  const [now, setNow] = useState(nowSeconds)
  const step = search.by ?? stepOf(firstStep)
  const range: Range = search.range ?? rangeOf(step)
  const period = useMemo(
    () => periodOf({ range, from: search.from, to: search.to }, isAdmin, now),
    [range, search.from, search.to, isAdmin, now],
  )
  const whose: Whose = useMemo(
    () => ({ isAdmin, username: isAdmin ? search.user : '' }),
    [isAdmin, search.user],
  )
  const usage = useQuery(usageQuery(whose, period))
  const before = useQuery(usageQuery(whose, periodBefore(period)))
  const refresh = useCallback(() => setNow(nowSeconds()), [])
  const { view: measure } = search
  return { search, set, isAdmin, step, range, period, whose, measure, usage, before, refresh }
}

export type Dashboard = ReturnType<typeof useDashboard>
