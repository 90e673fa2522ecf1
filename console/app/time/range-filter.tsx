import { useCallback, useMemo, useState } from 'react'
import { FacetChip } from '../../ui/data/filter/filters.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { nowSeconds } from '../format/format.tsx'
import { formatShortSpan, type Range, type RangeChange, spanFromSearch, type TimeSpan } from './ranges.ts'
import { useRangeText } from './text.ts'

interface RangeFilterProps {
  readonly range: Range
  /** Exact times apply instead of the preset. */
  readonly isExact: boolean
  readonly span: TimeSpan
  /** Shown in place of an open end. Unix seconds. */
  readonly endSeconds: number
  readonly onChange: (change: RangeChange) => void
}

const panel = lazyPart(async () => (await import('./range-panel.tsx')).RangePanel)

/** Time range filter of a list: a preset, days of a calendar, or two exact times, none of them in the future. */
export function RangeFilter({ range, isExact, span, endSeconds, onChange }: RangeFilterProps) {
  const t = useRangeText()
  return (
    <FacetChip
      label={t('range')}
      chosen={isExact ? formatShortSpan(span.start, endSeconds, nowSeconds()) : t(range)}
    >
      {close => (
        <panel.Part
          preset={isExact ? undefined : range}
          span={span}
          endSeconds={endSeconds}
          onChange={change => {
            onChange(change)
            close()
          }}
        />
      )}
    </FacetChip>
  )
}

interface RangeInAddress {
  readonly range?: Range | undefined
  readonly from: string
  readonly to: string
}

export interface TimeRange {
  readonly range: Range
  readonly isExact: boolean
  /** Unix seconds; an end of 0 is open. */
  readonly span: TimeSpan
  readonly endSeconds: number
  /** Moves a relative range to the current time. */
  readonly refresh: () => void
}

/** The time range of the search params, relative to the time of the last refresh. */
export function useTimeRange(search: RangeInAddress, fallback: Range): TimeRange {
  const { range = fallback, from, to } = search
  const [now, setNow] = useState(nowSeconds)
  const span = useMemo(() => spanFromSearch({ range, from, to }, now), [range, from, to, now])
  const refresh = useCallback(() => setNow(nowSeconds()), [])
  const endSeconds = span.end === 0 ? now : span.end
  return { range, isExact: from !== '' || to !== '', span, endSeconds, refresh }
}
