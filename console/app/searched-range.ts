import { useCallback, useMemo, useState } from 'react'
import { type Range, type Span, spanOf } from './ranges.ts'
import { nowSeconds } from './time.ts'

/** An open range is shown as ending this much ahead. */
const AHEAD_SECONDS = 3600

interface RangeInAddress {
  readonly range?: Range | undefined
  readonly from: string
  readonly to: string
}

export interface SearchedRange {
  readonly range: Range
  readonly isExact: boolean
  /** Unix seconds; an end of 0 is open. */
  readonly span: Span
  readonly endSeconds: number
  /** Moves a range that follows the clock. */
  readonly renew: () => void
}

/** What the address asks for, at this moment. */
export function useSearchedRange(search: RangeInAddress, fallback: Range): SearchedRange {
  const { range = fallback, from, to } = search
  const [now, setNow] = useState(nowSeconds)
  const span = useMemo(() => spanOf({ range, from, to }, now), [range, from, to, now])
  const renew = useCallback(() => setNow(nowSeconds()), [])
  const endSeconds = span.end === 0 ? now + AHEAD_SECONDS : span.end
  return { range, isExact: from !== '' || to !== '', span, endSeconds, renew }
}
