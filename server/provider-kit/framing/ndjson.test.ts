import { expect, test } from 'bun:test'
import { openFraming } from './open-framing.ts'

test('gives one event a line, also for the last one without a line end', () => {
  const framer = openFraming('ndjson')
  const first = framer.push(new TextEncoder().encode('{"a":1}\r\n{"b":'))
  const second = framer.push(new TextEncoder().encode('2}'))
  expect([...first, ...second, ...framer.end()]).toEqual([
    { data: '{"a":1}', raw: '{"a":1}\r\n' },
    { data: '{"b":2}', raw: '{"b":2}' },
  ])
})
