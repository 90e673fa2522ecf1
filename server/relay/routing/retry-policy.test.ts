import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { retryRules, verdictOn } from './retry-policy.ts'

const failure = (status: number) => ({ status, code: 'c', message: 'm' })

test.each([307, 404, 499, 500, 502, 503, 529])('status %d is tried on the next channel', status => {
  expect(verdictOn(failure(status))).toBe('next channel')
})
test.each([401, 402, 403, 429])('status %d is tried with the next key', status => {
  expect(verdictOn(failure(status))).toBe('next key')
})
test.each([400, 408, 504, 524])('status %d is answered', status => {
  expect(verdictOn(failure(status))).toBe('answer')
})
test('who left is not asked for again, a vendor that says so of its own client is', () => {
  expect(verdictOn({ ...failure(499), code: 'client_closed_request' })).toBe('answer')
  expect(verdictOn({ ...failure(499), code: 'CANCELLED' })).toBe('next channel')
})
test('the vendor’s own word goes before the status', () => {
  expect(verdictOn({ ...failure(400), isRetryable: true })).toBe('next channel')
  expect(verdictOn({ ...failure(500), isRetryable: false })).toBe('answer')
})
test('a dead key is changed, though nobody else could answer with it either', () => {
  expect(verdictOn({ ...failure(400), isKeyDead: true, isRetryable: false })).toBe('next key')
})
test('our own deadlines lead to the next channel, the vendor’s gateway timeouts do not', () => {
  expect(verdictOn({ ...failure(504), code: 'upstream_timeout' })).toBe('next channel')
})
test('a lost connection is made again', () => {
  expect(verdictOn({ ...failure(502), isConnectionLost: true })).toBe('same channel')
})

test('docs/reference/routing.md says these rules, in this order', () => {
  const document = readFileSync(join(import.meta.dir, '../../../docs/reference/routing.md'), 'utf8')
  const rows = retryRules.map(({ when, verdict }) => `| ${when} | ${verdict} |`)
  expect(document).toContain(rows.join('\n'))
})
