import { createStore, useStore } from '../../ui/store.ts'
import { type Language, useLanguage } from '../../ui/text/text.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

const DATE_TIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const YEAR = 365 * DAY

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Returns a function that gives the whole milliseconds since the start. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.round(performance.now() - startedAt)
}

const two = (value: number): string => String(value).padStart(2, '0')

/** `2026-11-21 08:05:09` in the local time zone. */
export function formatDateTime(unixSeconds: number): string {
  const at = new Date(unixSeconds * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** Parses `yyyy-MM-dd HH:mm:ss` (time and seconds are optional) in the local time zone. Undefined for anything else. */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text.trim())
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map(part => Number(part ?? 0))
  const at = new Date(year, month - 1, day, hour, minute, second)
  const isReal =
    at.getMonth() === month - 1 &&
    at.getDate() === day &&
    at.getHours() === hour &&
    at.getMinutes() === minute
  return isReal && second < MINUTE ? Math.floor(at.getTime() / 1000) : undefined
}

const STEPS: ReadonlyArray<readonly [number, number, Intl.RelativeTimeFormatUnit]> = [
  [MINUTE, 1, 'second'],
  [HOUR, MINUTE, 'minute'],
  [DAY, HOUR, 'hour'],
  [MONTH, DAY, 'day'],
  [YEAR, MONTH, 'month'],
  [Number.POSITIVE_INFINITY, YEAR, 'year'],
]

/** `3 minutes ago`, `in 2 days`, in whole units rounded towards zero. */
export function formatRelative(unixSeconds: number, now: number, language: Language): string {
  const distance = unixSeconds - now
  const [, unitSeconds, unit] = STEPS.find(([below]) => Math.abs(distance) < below) ?? [
    0,
    YEAR,
    'year' as const,
  ]
  const format = new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en', { numeric: 'auto' })
  return format.format(Math.trunc(distance / unitSeconds), unit)
}

/** The local offset from UTC. */
export const utcOffsetMinutes = (): number => -new Date().getTimezoneOffset()

/** The local offset as `UTC+8`. */
export function timeZoneName(at: Date = new Date()): string {
  const minutes = -at.getTimezoneOffset()
  const hours = Math.trunc(Math.abs(minutes) / MINUTE)
  const rest = Math.abs(minutes) % MINUTE
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest ? `:${two(rest)}` : ''}`
}

export const TIME_FORMATS = ['exact', 'relative'] as const
type TimeFormat = (typeof TIME_FORMATS)[number]

const format = createStore<TimeFormat>(readStored('time-format') === 'relative' ? 'relative' : 'exact')

/** Whether times are shown as date and time or relative to now. */
export const useTimeFormat = (): TimeFormat => useStore(format)

export function chooseTimeFormat(chosen: TimeFormat): void {
  writeStored('time-format', chosen === 'exact' ? undefined : chosen)
  format.set(chosen)
}

/** A time in the preferred format and the local time zone, with the other format as a tooltip. */
export function TimeText({ unixSeconds }: { readonly unixSeconds: number }) {
  const language = useLanguage()
  const isRelative = useTimeFormat() === 'relative'
  const exact = formatDateTime(unixSeconds)
  const relative = formatRelative(unixSeconds, nowSeconds(), language)
  return (
    <time
      dateTime={new Date(unixSeconds * 1000).toISOString()}
      title={isRelative ? exact : relative}
      className="tabular whitespace-nowrap"
    >
      {isRelative ? relative : exact}
    </time>
  )
}
