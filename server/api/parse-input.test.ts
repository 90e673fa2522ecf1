import { expect, test } from 'bun:test'
import { rejectNul } from './parse-input.ts'

test('rejects a NUL character in any key or value', () => {
  for (const sent of ['a\0', ['\0'], { a: { b: ['\0'] } }, { 'a\0': 1 }])
    expect(() => rejectNul(sent)).toThrow('NUL')
})

test('accepts everything else, however deeply it is nested', () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 200_000; level += 1) deep = [deep]
  for (const sent of [undefined, null, 1, 'text', { a: [1, '\\u0000'] }, deep])
    expect(() => rejectNul(sent)).not.toThrow()
})
