import { expect, test } from 'bun:test'
import { formatDateTime, formatRelative, parseDateTime, timeZoneName } from './time.tsx'

test('formats a time in the local time zone with leading zeros', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000
  expect(formatDateTime(at)).toBe('2026-01-02 03:04:05')
})

test('parses what it formats', () => {
  const at = new Date(2026, 10, 21, 23, 59, 58).getTime() / 1000
  expect(parseDateTime(formatDateTime(at))).toBe(at)
})

test('parses a date without time as midnight', () => {
  expect(parseDateTime('2026-11-21')).toBe(new Date(2026, 10, 21).getTime() / 1000)
})

test.each(['', 'tomorrow', '2026-13-01 00:00:00', '2026-02-30', '2026-11-21 24:61:00', '21/11/2026'])(
  'refuses %p',
  text => {
    expect(parseDateTime(text)).toBeUndefined()
  },
)

test('formats relative times in the given language', () => {
  expect(formatRelative(1000, 1000 + 180, 'en')).toBe('3 minutes ago')
  expect(formatRelative(1000 + 2 * 86_400, 1000, 'zh')).toBe('后天')
  expect(formatRelative(1000, 1000 + 400 * 86_400, 'en')).toBe('last year')
})

test('names the time zone by its offset from UTC', () => {
  expect(timeZoneName()).toMatch(/^UTC[+-]\d{1,2}(:\d{2})?$/)
})
