import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { InputField } from '../../ui/forms/labelled-inputs.tsx'
import { formatDateTime, nowSeconds, parseDateTime, timeZoneName } from '../format/format.tsx'
import { MonthGrid } from './month-grid.tsx'
import { RANGES, type Range, type RangeChange, type TimeSpan } from './ranges.ts'
import { useRangeText } from './text.ts'

interface RangePanelProps {
  /** The active preset; undefined while exact times apply. */
  readonly preset: Range | undefined
  readonly span: TimeSpan
  /** Unix seconds. */
  readonly endSeconds: number
  readonly onChange: (change: RangeChange) => void
}

const DATE_LENGTH = 10
const dayOf = (unixSeconds: number): string => formatDateTime(unixSeconds).slice(0, DATE_LENGTH)

/** What a time range can be: a preset, days of a calendar, or two exact times. */
export function RangePanel(props: RangePanelProps) {
  const t = useRangeText()
  return (
    <div className="grid sm:grid-cols-[8.5rem_auto]">
      <ul className="grid content-start p-1 max-sm:grid-cols-3" aria-label={t('range')}>
        {RANGES.map(range => (
          <li key={range}>
            <button
              type="button"
              aria-pressed={range === props.preset}
              onClick={() => props.onChange({ range, from: '', to: '' })}
              className={classes(
                'flex h-8 w-full items-center rounded-control px-2 text-left whitespace-nowrap max-sm:text-small coarse:h-11',
                range === props.preset ? 'bg-selected font-medium text-accent' : 'hover:bg-hover',
              )}
            >
              {t(range)}
            </button>
          </li>
        ))}
      </ul>
      <ExactRange {...props} />
    </div>
  )
}

function ExactRange({ span, endSeconds, onChange }: RangePanelProps) {
  const t = useRangeText()
  const [from, setFrom] = useState(formatDateTime(span.start))
  const [to, setTo] = useState(formatDateTime(endSeconds))
  // The first of two days of the calendar, until the second is chosen.
  const [anchor, setAnchor] = useState('')
  const [pointed, setPointed] = useState('')
  const [isWrong, setWrong] = useState(false)
  const pick = (day: string) => {
    const [first = day, last = day] = [anchor || day, day].sort()
    setFrom(`${first} 00:00:00`)
    setTo(last === dayOf(nowSeconds()) ? formatDateTime(nowSeconds()) : `${last} 23:59:59`)
    setAnchor(anchor === '' ? day : '')
    setPointed(day)
    setWrong(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const start = parseDateTime(from)
    const end = parseDateTime(to)
    if (start === undefined || end === undefined || end < start || start > nowSeconds()) setWrong(true)
    else onChange({ from: String(start), to: String(Math.min(end, nowSeconds())) })
  }
  const [first = '', last = ''] =
    anchor === '' ? [from.slice(0, DATE_LENGTH), to.slice(0, DATE_LENGTH)] : [anchor, pointed].sort()
  return (
    <form
      noValidate
      className="grid content-start justify-items-center gap-3 border-line p-3 max-sm:border-t sm:border-l"
      onSubmit={submit}
    >
      <MonthGrid from={first} to={last} lastDay={dayOf(nowSeconds())} onPick={pick} onPoint={setPointed} />
      <div className="grid w-full gap-2">
        <TimeField label={t('from')} value={from} onChange={setFrom} />
        <TimeField
          label={t('to')}
          value={to}
          onChange={setTo}
          error={isWrong ? t('wrongRange') : undefined}
        />
        <div className="flex items-center justify-between gap-3">
          <p className="text-caption text-muted tabular">{anchor === '' ? timeZoneName() : t('pickLast')}</p>
          <Button type="submit" variant="primary" size="small">
            {t('applyRange')}
          </Button>
        </div>
      </div>
    </form>
  )
}

interface TimeFieldProps {
  readonly label: string
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}

const TimeField = ({ label, value, error, onChange }: TimeFieldProps) => (
  <InputField
    label={label}
    error={error}
    inputMode="numeric"
    className="tabular"
    value={value}
    onChange={event => onChange(event.target.value)}
  />
)
