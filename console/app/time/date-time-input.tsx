import { CalendarClock } from 'lucide-react'
import { PopoverButton } from '../../ui/buttons/popup-buttons.tsx'
import { iconButtonClasses, inputClasses } from '../../ui/class-names.ts'
import type { ControlProps } from '../../ui/forms/fields.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useKitText } from '../../ui/text/kit-text.ts'

interface DateTimeInputProps extends Partial<ControlProps> {
  /** `2026-11-21 08:05:09` as typed, or empty. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly placeholder?: string
  readonly disabled?: boolean
  /** Without a time. */
  readonly isDay?: boolean
}

const DAY = /^\d{4}-\d{2}-\d{2}(?!\d)/
const MIDNIGHT = '00:00:00'

const monthGrid = lazyPart(async () => (await import('./month-grid.tsx')).MonthGrid)

/** A date and time in the local time zone, typed or picked in a calendar, which keeps the time of the day. */
export function DateTimeInput({
  value,
  onChange,
  onBlur,
  placeholder,
  disabled = false,
  isDay = false,
  ...control
}: DateTimeInputProps) {
  const t = useKitText()
  const day = DAY.exec(value)?.[0] ?? ''
  const time = value.slice(day.length + 1).trim() || MIDNIGHT
  return (
    <div className="relative">
      <input
        {...control}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        value={value}
        placeholder={placeholder}
        onChange={event => onChange(event.target.value)}
        onBlur={onBlur}
        className={`${inputClasses} pr-10 tabular`}
      />
      {!disabled && (
        <span className="absolute top-1/2 right-1 -translate-y-1/2">
          <PopoverButton
            label={t('openCalendar')}
            hasTooltip
            className={iconButtonClasses('ghost', 'small')}
            content={<CalendarClock size={16} aria-hidden />}
          >
            {close => (
              <div className="p-3">
                <monthGrid.Part
                  from={day}
                  to={day}
                  onPick={picked => {
                    onChange(isDay ? picked : `${picked} ${day === '' ? MIDNIGHT : time}`)
                    close()
                  }}
                />
              </div>
            )}
          </PopoverButton>
        </span>
      )}
    </div>
  )
}
