import { formatDateTime, formatNumber } from '#console/app/format/format.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { ChannelHealth } from '../contract.ts'
import { useHealthText } from './text.ts'

type Hour = ChannelHealth['hours'][number]

const HOUR_SECONDS = 3600
const MANY_SHARE = 0.1
const SOME_SHARE = 0.01
/** Of a column with a single call, so that it is seen. */
const HEIGHT_MIN_PERCENT = 12

/** The failures of an hour as a sign, since colours are not seen by everybody. */
function markOf({ attempts, failed }: Hour): '×' | '!' | '' {
  const share = attempts === 0 ? 0 : failed / attempts
  return share >= MANY_SHARE ? '×' : share >= SOME_SHARE ? '!' : ''
}

/** `14:00` */
const timeOf = (unixSeconds: number): string => formatDateTime(unixSeconds).slice(11, 16)

/** The calls of a channel hour by hour: the height tells how many, the part from below how many of them failed. */
export function HealthStrip({ hours }: { readonly hours: readonly Hour[] }) {
  const t = useHealthText()
  const most = Math.max(...hours.map(({ attempts }) => attempts), 1)
  return (
    <figure className="grid gap-1">
      <ol aria-label={t('hourly')} className="flex gap-px sm:gap-0.5">
        {hours.map(hour => (
          <HourColumn key={hour.start} hour={hour} most={most} />
        ))}
      </ol>
      <figcaption className="flex flex-wrap justify-between gap-x-4 text-caption text-muted">
        <span>{t('start')}</span>
        {hours.some(hour => markOf(hour) !== '') && <span className="whitespace-pre">{t('marks')}</span>}
        <span>{t('now')}</span>
      </figcaption>
    </figure>
  )
}

function HourColumn({ hour, most }: { readonly hour: Hour; readonly most: number }) {
  const t = useHealthText()
  const language = useLanguage()
  const { start, attempts, failed } = hour
  const mark = markOf(hour)
  const label = t(attempts === 0 ? 'quietHour' : 'hour', {
    from: timeOf(start),
    to: timeOf(start + HOUR_SECONDS),
    attempts: formatNumber(attempts, language),
    failed: formatNumber(failed, language),
  })
  const height = attempts === 0 ? 0 : Math.max((100 * attempts) / most, HEIGHT_MIN_PERCENT)
  return (
    <li title={label} className="min-w-0 flex-1">
      <span className="sr-only">{label}</span>
      <span aria-hidden className="flex h-12 flex-col justify-end border-b border-line-strong">
        <span className="flex flex-col overflow-hidden rounded-t-xs" style={{ height: `${height}%` }}>
          <span className="bg-success" style={{ flexGrow: attempts - failed }} />
          {failed > 0 && <span className="min-h-1 bg-danger" style={{ flexGrow: failed }} />}
        </span>
      </span>
      <span
        aria-hidden
        className={`block h-4 text-center text-caption leading-4 font-semibold ${mark === '×' ? 'text-danger' : 'text-warning'}`}
      >
        {mark}
      </span>
    </li>
  )
}
