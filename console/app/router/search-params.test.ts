import { expect, test } from 'bun:test'
import { z } from 'zod'
import { cleanSearch, parseSearch, stringifySearch } from './search-params.ts'

const schema = z.object({
  q: z.string().catch('').default(''),
  p: z.coerce.number().int().min(1).catch(1).default(1),
  size: z.coerce.number().optional().catch(undefined),
})

test('reads back what it writes', () => {
  const search = { q: 'a b&c=d', p: '2' }
  expect(parseSearch(stringifySearch(search))).toEqual(search)
})

test('keeps numeric strings as text', () => {
  expect(parseSearch('?q=123')).toEqual({ q: '123' })
})

test('omits defaults, empty values and unknown params', () => {
  expect(cleanSearch(schema, { q: '', p: '1', utm: 'x' })).toEqual({})
  expect(cleanSearch(schema, { q: 'gpt', p: 3, size: undefined })).toEqual({ q: 'gpt', p: '3' })
})

test('falls back to the default for an invalid value', () => {
  expect(cleanSearch(schema, { p: 'many', q: 'x' })).toEqual({ q: 'x' })
  expect(cleanSearch(schema, { p: '-4' })).toEqual({})
})
