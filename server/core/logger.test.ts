import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { type LogFields, noopLogger, throttledLog } from './logger.ts'

let now = 0
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

test('logs the first line, then one a minute with the number of suppressed lines', () => {
  const lines: LogFields[] = []
  const log = { ...noopLogger, error: (_: string, fields: LogFields = {}) => void lines.push(fields) }
  const logFailure = throttledLog(log, 'the disk is full')
  for (const id of ['a', 'b', 'c']) logFailure({ id })
  now += 60_000
  for (const id of ['d', 'e']) logFailure({ id })
  now += 60_000
  logFailure({ id: 'f' })
  expect(lines).toEqual([{ id: 'a' }, { id: 'd', unsaid: 2 }, { id: 'f', unsaid: 1 }])
})
