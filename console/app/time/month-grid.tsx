import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { useKitText } from '../../ui/text/kit-text.ts'
import { type Language, useLanguage } from '../../ui/text/text.ts'
import { addDays, addMonths, DAYS_OF_WEEK, dayOfDate, daysSinceWeekStart, noonOf } from './calendar-days.ts'

interface MonthGridProps {
  /** First and last chosen day, such as `2026-11-21`; empty while none is chosen. */
  readonly from: string
  readonly to: string
  /** Later days cannot be chosen. */
  readonly lastDay?: string
  readonly onPick: (day: string) => void
  /** The day under the pointer or with the focus. */
  readonly onPoint?: (day: string) => void
}

const SHOWN_WEEKS = 6

const MOVES: Readonly<Record<string, (day: string, language: Language) => string>> = {
  ArrowLeft: day => addDays(day, -1),
  ArrowRight: day => addDays(day, 1),
  ArrowUp: day => addDays(day, -DAYS_OF_WEEK),
  ArrowDown: day => addDays(day, DAYS_OF_WEEK),
  Home: (day, language) => addDays(day, -daysSinceWeekStart(day, language)),
  End: (day, language) => addDays(day, DAYS_OF_WEEK - 1 - daysSinceWeekStart(day, language)),
  PageUp: day => addMonths(day, -1),
  PageDown: day => addMonths(day, 1),
}

/** The days of a month to choose from, after the date grid of the ARIA practices. Load it with `lazyPart`. */
export function MonthGrid({ from, to, lastDay, onPick, onPoint }: MonthGridProps) {
  const t = useKitText()
  const language = useLanguage()
  const today = dayOfDate(new Date())
  const [current, setCurrent] = useState(to || today)
  const grid = useRef<HTMLTableElement>(null)
  const heading = useId()
  const month = noonOf(current).toLocaleDateString(language, { year: 'numeric', month: 'long' })
  const firstOfMonth = `${current.slice(0, -2)}01`
  const start = addDays(firstOfMonth, -daysSinceWeekStart(firstOfMonth, language))
  const isTooLate = (day: string) => lastDay !== undefined && day > lastDay
  const show = (day: string) => setCurrent(lastDay !== undefined && day > lastDay ? lastDay : day)
  const moveByKey = (event: KeyboardEvent) => {
    const next = MOVES[event.key]?.(current, language)
    if (next === undefined) return
    event.preventDefault()
    flushSync(() => show(next))
    grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }
  const week = (index: number) =>
    Array.from({ length: DAYS_OF_WEEK }, (_, day) => addDays(start, index * DAYS_OF_WEEK + day))
  return (
    <div className="w-63 coarse:w-77">
      <div className="mb-1 flex items-center justify-between">
        <IconButton
          label={t('previousMonth')}
          icon={ChevronLeft}
          size="small"
          onClick={() => show(addMonths(current, -1))}
        />
        <span id={heading} aria-live="polite" className="font-medium">
          {month}
        </span>
        <IconButton
          label={t('nextMonth')}
          icon={ChevronRight}
          size="small"
          disabled={isTooLate(addMonths(firstOfMonth, 1))}
          onClick={() => show(addMonths(current, 1))}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA practices make a grid of such a table */}
      <table ref={grid} role="grid" aria-labelledby={heading} onKeyDown={moveByKey} className="w-full">
        <thead>
          <tr className="text-caption text-muted">
            {week(0).map(day => (
              <th key={day} scope="col" abbr={weekday(day, language, 'long')} className="h-6 font-normal">
                {weekday(day, language, 'narrow')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: SHOWN_WEEKS }, (_, index) => (
            <tr key={week(index)[0]}>
              {week(index).map(day => (
                <td key={day} className="p-0">
                  <button
                    type="button"
                    tabIndex={day === current ? 0 : -1}
                    disabled={isTooLate(day)}
                    aria-label={noonOf(day).toLocaleDateString(language, { dateStyle: 'full' })}
                    aria-pressed={day >= from && day <= to}
                    aria-current={day === today ? 'date' : undefined}
                    onClick={() => {
                      setCurrent(day)
                      onPick(day)
                    }}
                    onPointerEnter={() => onPoint?.(day)}
                    onFocus={() => onPoint?.(day)}
                    className={dayClasses(day, from, to, !day.startsWith(current.slice(0, 7)))}
                  >
                    {Number(day.slice(-2))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const weekday = (day: string, language: Language, format: 'long' | 'narrow'): string =>
  noonOf(day).toLocaleDateString(language, { weekday: format })

/** The first and the last day are joined by those between them. */
function dayClasses(day: string, from: string, to: string, isOutside: boolean): string {
  const isEnd = day === from || day === to
  return classes(
    'h-8 w-full tabular disabled:opacity-40 aria-[current=date]:font-semibold coarse:h-11',
    isEnd && 'bg-primary text-on-primary',
    !isEnd && day > from && day < to && 'bg-selected text-accent',
    !isEnd && (day < from || day > to) && 'rounded-control enabled:hover:bg-hover',
    !isEnd && isOutside && 'text-subtle',
    day === from && 'rounded-l-control',
    day === to && 'rounded-r-control',
  )
}
