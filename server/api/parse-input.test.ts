import { expect, test } from 'bun:test'
import { rejectNul } from './parse-input.ts'

test('a NUL is refused wherever it stands', () => {
  for (const sent of ['a\0', ['\0'], { a: { b: ['\0'] } }, { 'a\0': 1 }])
    expect(() => rejectNul(sent)).toThrow('NUL')
})

test('everything else passes, and what is very deep does not overflow', () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 200_000; level += 1) deep = [deep]
  for (const sent of [undefined, null, 1, 'text', { a: [1, '\\u0000'] }, deep])
    expect(() => rejectNul(sent)).not.toThrow()
})
