import { CalendarClock } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../buttons/buttons.tsx'
import { inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import type { ControlProps } from './fields.tsx'

interface DateTimeInputProps extends Partial<ControlProps> {
  /** `2026-11-21 08:05:09` as typed, or empty. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly placeholder?: string
  readonly disabled?: boolean
}

const SECONDS = /:\d{2}:\d{2}$/

/** Converts to and from the format of `datetime-local`. */
const toPicker = (text: string): string => text.trim().replace(' ', 'T')
const fromPicker = (picked: string): string => {
  const text = picked.replace('T', ' ')
  return text === '' || SECONDS.test(text) ? text : `${text}:00`
}

/** A date and time in the local time zone, typed or picked in the browser's calendar. */
export function DateTimeInput({
  value,
  onChange,
  onBlur,
  placeholder,
  disabled = false,
  ...control
}: DateTimeInputProps) {
  const t = useKitText()
  const picker = useRef<HTMLInputElement>(null)
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
      <IconButton
        label={t('openCalendar')}
        icon={CalendarClock}
        size="small"
        disabled={disabled}
        className="absolute top-1/2 right-1 -translate-y-1/2"
        onClick={() => picker.current?.showPicker()}
      />
      <input
        ref={picker}
        type="datetime-local"
        autoComplete="off"
        step={1}
        tabIndex={-1}
        aria-hidden
        value={toPicker(value)}
        onChange={event => onChange(fromPicker(event.target.value))}
        className="pointer-events-none absolute right-0 bottom-0 size-px opacity-0"
      />
    </div>
  )
}
