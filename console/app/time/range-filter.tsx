import { useCallback, useMemo, useState } from 'react'
import { RangeFacet } from '../../ui/data/filter/range-facet.tsx'
import { formatDateTime, nowSeconds, parseDateTime, timeZoneName } from '../format/format.tsx'
import { formatShortSpan, RANGES, type Range, spanFromSearch, type TimeSpan } from './ranges.ts'
import { useRangeText } from './text.ts'

interface RangeFilterProps {
  readonly range: Range
  /** Exact times apply instead of the preset. */
  readonly isExact: boolean
  readonly span: TimeSpan
  /** Shown in place of an open end. Unix seconds. */
  readonly endSeconds: number
  /** As an address has it: exact times take the place of the range. */
  readonly onChange: (change: { readonly range?: Range; readonly from: string; readonly to: string }) => void
}

const forInput = (unixSeconds: number): string => formatDateTime(unixSeconds).replace(' ', 'T')

/** Time range filter of a list: a relative preset or two exact times. Ranges that end before they start are rejected. */
export function RangeFilter({ range, isExact, span, endSeconds, onChange }: RangeFilterProps) {
  const t = useRangeText()
  const shownEnd = span.end === 0 && !isExact ? t('now') : formatDateTime(endSeconds)
  const choose = (preset: string) => {
    const chosen = RANGES.find(candidate => candidate === preset)
    if (chosen) onChange({ range: chosen, from: '', to: '' })
  }
  const exact = (fromText: string, toText: string): boolean => {
    const from = parseDateTime(fromText)
    const to = parseDateTime(toText)
    if (from === undefined || to === undefined || to < from || from > nowSeconds()) return false
    onChange({ from: String(from), to: String(to) })
    return true
  }
  return (
    <RangeFacet
      label={t('range')}
      presets={RANGES.map(value => ({ value, label: t(value) }))}
      preset={isExact ? undefined : range}
      chosen={isExact ? formatShortSpan(span.start, endSeconds, nowSeconds()) : t(range)}
      from={forInput(span.start)}
      to={forInput(endSeconds)}
      note={`${formatDateTime(span.start)} - ${shownEnd} · ${timeZoneName()}`}
      texts={{ from: t('from'), to: t('to'), apply: t('applyRange'), invalid: t('wrongRange') }}
      onPreset={choose}
      onExact={exact}
    />
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
