import { useCallback, useMemo, useState } from 'react'
import { RangeFacet } from '../../ui/data/filter/range-facet.tsx'
import { useText } from '../../ui/text/text.ts'
import { RANGES, type Range, type Span, shortSpan, spanOf } from './ranges.ts'
import { rangeText } from './text.ts'
import { formatDateTime, nowSeconds, parseDateTime, timeZoneName } from './time.tsx'

interface RangeFilterProps {
  readonly range: Range
  /** Two exact moments hold instead of the preset. */
  readonly isExact: boolean
  readonly span: Span
  /** What an open end is shown as. */
  readonly endSeconds: number
  readonly onRange: (range: Range) => void
  /** Unix seconds. */
  readonly onExact: (from: number, to: number) => void
}

const forInput = (unixSeconds: number): string => formatDateTime(unixSeconds).replace(' ', 'T')

/** The stretch of time of a list: a preset that moves with the clock, or two moments of which the end is not first. */
export function RangeFilter({ range, isExact, span, endSeconds, onRange, onExact }: RangeFilterProps) {
  const t = useText(rangeText)
  const shownEnd = span.end === 0 && !isExact ? t('now') : formatDateTime(endSeconds)
  const choose = (preset: string) => {
    const chosen = RANGES.find(candidate => candidate === preset)
    if (chosen) onRange(chosen)
  }
  const exact = (fromText: string, toText: string): boolean => {
    const from = parseDateTime(fromText)
    const to = parseDateTime(toText)
    if (from === undefined || to === undefined || to < from) return false
    onExact(from, to)
    return true
  }
  return (
    <RangeFacet
      label={t('range')}
      presets={RANGES.map(value => ({ value, label: t(value) }))}
      preset={isExact ? undefined : range}
      chosen={isExact ? shortSpan(span.start, endSeconds, nowSeconds()) : t(range)}
      from={forInput(span.start)}
      to={forInput(endSeconds)}
      note={`${formatDateTime(span.start)} - ${shownEnd} · ${timeZoneName()}`}
      texts={{ from: t('from'), to: t('to'), apply: t('applyRange'), wrong: t('wrongRange') }}
      onPreset={choose}
      onExact={exact}
    />
  )
}

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
