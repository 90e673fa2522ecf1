import { formatDateTime, formatDollars } from '#console/app/format/format.tsx'
import { useLanguage } from '#console/ui/text/text.ts'

const NANOS_PER_DOLLAR = 1_000_000_000
const PERCENT_DIGITS = 2

/** An amount in billionths of a dollar; a dash where it is not known. */
export function Amount({
  nanos,
  isSigned = false,
}: {
  readonly nanos: number | null
  readonly isSigned?: boolean
}) {
  const language = useLanguage()
  if (nanos === null) return <>–</>
  return (
    <>
      {isSigned && nanos > 0 ? '+' : ''}
      {formatDollars(nanos / NANOS_PER_DOLLAR, language)}
    </>
  )
}

export const formatPercent = (percent: number | null): string =>
  percent === null ? '–' : `${percent > 0 ? '+' : ''}${percent.toFixed(PERCENT_DIGITS)}%`

const DAY_SECONDS = 86_400

export const toDate = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toISOString().slice(0, 'yyyy-mm-dd'.length)

/** `2026-11-01 – 2026-11-30`, or one day. */
function formatPeriod(start: number, end: number): string {
  const [first, last] = [toDate(start), toDate(Math.max(start, end - DAY_SECONDS))]
  return first === last ? first : `${first} – ${last}`
}

interface Compared {
  readonly files: readonly string[]
  readonly start_timestamp: number
  readonly end_timestamp: number
}

/** Whole days of UTC for bills, the local times of the readings for balances. */
export const periodOf = ({ files, start_timestamp: start, end_timestamp: end }: Compared): string =>
  files.length > 0
    ? formatPeriod(start, end)
    : [start, end].map(time => formatDateTime(time).slice(0, 'yyyy-mm-dd hh:mm'.length)).join(' – ')

/** The files, or that it was a balance. */
export const sourceOf = ({ files }: Compared, balance: string): string =>
  files.length > 0 ? files.join(', ') : balance
