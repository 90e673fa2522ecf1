import { expect, test } from 'bun:test'
import { failureReader } from './dead-key-signs.ts'

const read = failureReader({ codes: ['30001', 'Overdue'], message: /^Incorrect key/ })
const failureOf = (status: number, json: unknown) => read(status, JSON.stringify(json), new Headers())

test.each([
  [403, { error: { code: 'Overdue', message: 'm' } }],
  [403, { error: { type: 'Overdue', message: 'm' } }],
  [403, { code: 30001, message: 'm' }],
  [400, { error: 'Incorrect key' }],
])('takes a %d with %j for a dead key, worth another channel', (status, json) => {
  expect(failureOf(status, json)).toMatchObject({ status, isKeyDead: true, isRetryable: true })
})

test('leaves other failures to the common shapes', () => {
  const failure = failureOf(400, { error: { code: 'context_length_exceeded', message: 'Too long' } })
  expect(failure).toMatchObject({ code: 'context_length_exceeded', isKeyDead: false })
  expect(failure.isRetryable).toBeUndefined()
})
