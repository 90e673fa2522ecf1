import { expect, test } from 'bun:test'
import { changeLines } from './review-dialog.tsx'

test('lists added, removed and changed entries of a table', () => {
  expect(changeLines('json', '{"a": 1, "b": 2, "c": 3}', '{"a":1,"b":5,"d":4}')).toEqual([
    { name: 'b', before: '2', after: '5' },
    { name: 'c', before: '3', after: undefined },
    { name: 'd', before: undefined, after: '4' },
  ])
})

test('lists added and removed entries of a list and ignores their order', () => {
  expect(changeLines('lines', 'one\ntwo', 'two\nthree\n')).toEqual([
    { name: 'one', before: 'one', after: undefined },
    { name: 'three', before: undefined, after: 'three' },
  ])
  expect(changeLines('names', 'a.com,b.com', 'b.com, a.com')).toEqual([])
})

test('lists a single value, and JSON that is not a table, as one change', () => {
  expect(changeLines('text', 'old', 'new')).toEqual([{ name: '', before: 'old', after: 'new' }])
  expect(changeLines('json', '[]', '[{"a":"b"}]')).toEqual([{ name: '', before: '[]', after: '[{"a":"b"}]' }])
})
