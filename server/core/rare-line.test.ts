import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { type LogFields, silentLog } from './log.ts'
import { openRareLine } from './rare-line.ts'

let now = 0
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

test('tells the first, then one in a minute with the number of those left out', () => {
  const said: LogFields[] = []
  const log = { ...silentLog, error: (_: string, fields: LogFields = {}) => void said.push(fields) }
  const note = openRareLine(log, 'the disk is full')
  for (const id of ['a', 'b', 'c']) note({ id })
  now += 60_000
  for (const id of ['d', 'e']) note({ id })
  now += 60_000
  note({ id: 'f' })
  expect(said).toEqual([{ id: 'a' }, { id: 'd', unsaid: 2 }, { id: 'f', unsaid: 1 }])
})
