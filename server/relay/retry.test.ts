import { expect, test } from 'bun:test'
import { isWorthRetrying } from './retry.ts'

const failure = (status: number) => ({ status, code: 'c', message: 'm' })

test.each([307, 401, 403, 404, 429, 500, 502, 503, 529])('status %d is tried on the next channel', status => {
  expect(isWorthRetrying(failure(status))).toBe(true)
})
test.each([400, 408, 499, 504, 524])('status %d is answered', status => {
  expect(isWorthRetrying(failure(status))).toBe(false)
})
test('the vendor’s own word goes before the status', () => {
  expect(isWorthRetrying({ ...failure(400), isRetryable: true })).toBe(true)
  expect(isWorthRetrying({ ...failure(500), isRetryable: false })).toBe(false)
})
