import type { Language } from '../../ui/text/text.ts'

export const DAYS_OF_WEEK = 7
const FIRST_WEEKDAY: Readonly<Record<Language, number>> = { zh: 1, en: 0 }

const two = (value: number): string => String(value).padStart(2, '0')

/** The local day of a date: `2026-11-21`. */
export const dayOfDate = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

/** Noon, since a change of the clock may leave out midnight. */
export const noonOf = (day: string): Date => new Date(`${day}T12:00:00`)

/** The day a number of days later; earlier if negative. */
export function addDays(day: string, count: number): string {
  const date = noonOf(day)
  date.setDate(date.getDate() + count)
  return dayOfDate(date)
}

/** The same day of another month, or its last one where the month is shorter. */
export function addMonths(day: string, count: number): string {
  const date = noonOf(day)
  const last = new Date(date.getFullYear(), date.getMonth() + count + 1, 0)
  return dayOfDate(date.getDate() > last.getDate() ? last : new Date(date.setMonth(date.getMonth() + count)))
}

export const daysSinceWeekStart = (day: string, language: Language): number =>
  (noonOf(day).getDay() - FIRST_WEEKDAY[language] + DAYS_OF_WEEK) % DAYS_OF_WEEK
