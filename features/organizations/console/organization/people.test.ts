import { expect, test } from 'bun:test'
import { toPeople } from './people.ts'

test('a line names a person, with an address behind a comma of either kind, or is an address', () => {
  expect(toPeople(' Alice \n\nBob, bob@example.com\n王芳，wang@example.com\ncarl@example.com')).toEqual([
    { name: 'Alice', email: '' },
    { name: 'Bob', email: 'bob@example.com' },
    { name: '王芳', email: 'wang@example.com' },
    { name: 'carl', email: 'carl@example.com' },
  ])
})

test('no line, a line without a name, a long name, a wrong address and more than a hundred lines are refused', () => {
  for (const text of ['', ' \n ', ', a@example.com', 'x'.repeat(41), 'Bob, bob@', 'a\n'.repeat(101)])
    expect(toPeople(text)).toBeUndefined()
  expect(toPeople('a\n'.repeat(100))).toHaveLength(100)
})
