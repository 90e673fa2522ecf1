import { expect, test } from 'bun:test'
import { sectionsOf } from './sections.ts'

const row = (value: string, second: string, requests: number) => ({ value, second_value: second, requests })
const byRequests = (a: { readonly requests: number }, b: { readonly requests: number }) =>
  b.requests - a.requests

test('puts the rows of one value below its sum, the largest sum first', () => {
  const rows = [row('anna', 'o1', 5), row('bob', 'o1', 4), row('bob', 'o3', 3)]
  const sums = [row('anna', '', 5), row('bob', '', 7)]
  expect(sectionsOf(rows, sums, byRequests)).toEqual([
    { sum: row('bob', '', 7), rows: [row('bob', 'o1', 4), row('bob', 'o3', 3)] },
    { sum: row('anna', '', 5), rows: [row('anna', 'o1', 5)] },
  ])
})

test('keeps rows whose sum is not among the shown ones', () => {
  const rows = [row('bob', 'o1', 4)]
  expect(sectionsOf(rows, [], byRequests)).toEqual([{ sum: undefined, rows }])
})

test('shows a sum whose rows are not among the shown ones', () => {
  const sum = row('anna', '', 5)
  expect(sectionsOf([], [sum], byRequests)).toEqual([{ sum, rows: [] }])
})
