import { expect, test } from 'bun:test'
import { systemOptions } from '#contract/options/system-options.ts'
import { readListEntries } from './list-entries.ts'

const { schema: Ratios } = systemOptions.ModelRatio

test('keeps what is valid, and names the others with their reason', () => {
  const { text, notes } = readListEntries(Ratios, '{"a":1.5,"b":"free","c":-1}') ?? { text: '', notes: [] }
  expect(text).toBe('{"a":1.5}')
  expect(notes).toHaveLength(2)
})

test.each([1e30, 1e12, 1.0e9 + 1])('brings no figure of %d, which nobody can mean', figure => {
  const kept = readListEntries(Ratios, JSON.stringify({ a: 37.5, wrong: figure, most: 1e9 }))
  expect(kept).toEqual({
    text: '{"a":37.5,"most":1000000000}',
    notes: ['did not come (ratios and prices are at most a billion): wrong'],
  })
})

test('brings nothing of a list without a valid entry', () => {
  expect(readListEntries(Ratios, '{"wrong":1e30}')).toBeUndefined()
  expect(readListEntries(Ratios, 'no list')).toBeUndefined()
})
