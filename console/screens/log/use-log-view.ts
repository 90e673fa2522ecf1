import { useCallback, useMemo, useState } from 'react'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { readStored, writeStored } from '../../app/preferences/local-store.ts'
import { RANGE_DEFAULT, RANGES, type Range, spanFromSearch } from '../../app/time/ranges.ts'
import { hasRole, useUser } from '../../app/session/session.ts'
import { nowSeconds } from '../../app/time/time.tsx'
import { toLogFilters } from './log-state.ts'
import type { LogView } from './queries.ts'
import { LogSearch } from './search.ts'

const LIVE_POLL_MS = 3000
/** An open range is shown as ending this much ahead. */
const AHEAD_SECONDS = 3600

/** The reader's last preset, kept in this browser. */
const storedRange = (): Range => RANGES.find(range => range === readStored('log-range')) ?? RANGE_DEFAULT

export const storeRange = (range: Range): void => writeStored('log-range', range)

/** What the address asks for, as the calls want it. `refresh` moves a range that follows the clock. */
export function useLogView() {
  const url = useListSearchParams(LogSearch)
  const user = useUser()
  const isAdmin = hasRole(user, 'admin')
  const [now, setNow] = useState(nowSeconds)
  const { search } = url
  const [kept] = useState(storedRange)
  const range = search.range ?? kept
  const span = useMemo(() => spanFromSearch({ ...search, range }, now), [search, range, now])
  const view: LogView = useMemo(
    () => ({
      isAdmin,
      filters: toLogFilters(search, span),
      everyMs: search.live === '1' ? LIVE_POLL_MS : false,
    }),
    [isAdmin, search, span],
  )
  const refresh = useCallback(() => setNow(nowSeconds()), [])
  const endSeconds = span.end === 0 ? now + AHEAD_SECONDS : span.end
  return { ...url, isAdmin, range, span, endSeconds, view, refresh }
}

export type LogUrl = ReturnType<typeof useLogView>
