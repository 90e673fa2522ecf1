import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decideRetry, RETRY_RULES } from './retry-policy.ts'

const failure = (status: number) => ({ status, code: 'c', message: 'm' })

test.each([307, 404, 499, 500, 502, 503, 529])('retries status %d on the next channel', status => {
  expect(decideRetry(failure(status))).toBe('next channel')
})
test.each([401, 402, 403, 429])('retries status %d with the next key', status => {
  expect(decideRetry(failure(status))).toBe('next key')
})
test.each([400, 408, 504, 524])('does not retry status %d', status => {
  expect(decideRetry(failure(status))).toBe('give up')
})
test('does not retry for a client that disconnected, but does when a provider reports a cancellation', () => {
  expect(decideRetry({ ...failure(499), code: 'client_closed_request' })).toBe('give up')
  expect(decideRetry({ ...failure(499), code: 'CANCELLED' })).toBe('next channel')
})
test('prefers the provider’s own statement about retries to the status', () => {
  expect(decideRetry({ ...failure(400), isRetryable: true })).toBe('next channel')
  expect(decideRetry({ ...failure(500), isRetryable: false })).toBe('give up')
})
test('retries a revoked key with the next key even if the provider rules out retries', () => {
  expect(decideRetry({ ...failure(400), isKeyRevoked: true, isRetryable: false })).toBe('next key')
})
test('retries our own timeouts on the next channel, unlike gateway timeouts of the provider', () => {
  expect(decideRetry({ ...failure(504), code: 'upstream_timeout' })).toBe('next channel')
})
test('retries a lost connection on the same channel', () => {
  expect(decideRetry({ ...failure(502), isConnectionLost: true })).toBe('same channel')
})

test('docs/reference/routing.md lists the retry rules in order', () => {
  const document = readFileSync(join(import.meta.dir, '../../../docs/reference/routing.md'), 'utf8')
  const rows = RETRY_RULES.map(({ when, decision }) => `| ${when} | ${decision} |`)
  expect(document).toContain(rows.join('\n'))
})
