import { expect, test } from 'bun:test'
import { readRetryAfter } from './retry-after.ts'

test.each([
  [{ 'retry-after': '2' }, 2],
  [{ 'retry-after': '0.4' }, 1],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 30],
  [{ 'retry-after': '99999999' }, 86_400],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, undefined],
  [{}, undefined],
])('reads %j as %p seconds', (headers: Record<string, string>, seconds) => {
  expect(readRetryAfter(new Headers(headers))).toBe(seconds)
})
