import { expect, test } from 'bun:test'
import { z } from 'zod'
import { cleanSearch, parseAddress, writeAddress } from './search-params.ts'

const schema = z.object({
  q: z.string().catch('').default(''),
  p: z.coerce.number().int().min(1).catch(1).default(1),
  size: z.coerce.number().optional().catch(undefined),
})

test('what stands in the address is read back as it was written', () => {
  const search = { q: 'a b&c=d', p: '2' }
  expect(parseAddress(writeAddress(search))).toEqual(search)
})

test('a number that looks like text stays text', () => {
  expect(parseAddress('?q=123')).toEqual({ q: '123' })
})

test('defaults, empty values and unknown names are not written', () => {
  expect(cleanSearch(schema, { q: '', p: '1', utm: 'x' })).toEqual({})
  expect(cleanSearch(schema, { q: 'gpt', p: 3, size: undefined })).toEqual({ q: 'gpt', p: '3' })
})

test('a broken value falls back to its default', () => {
  expect(cleanSearch(schema, { p: 'many', q: 'x' })).toEqual({ q: 'x' })
  expect(cleanSearch(schema, { p: '-4' })).toEqual({})
})
