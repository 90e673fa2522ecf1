import { expect, test } from 'bun:test'
import { z } from 'zod'
import { cellsOf, changesOf, defaultsOf, fromCells, limit, toCells, viewOf } from './stored.ts'

const fields = z.object({
  name: z.string().trim().min(1).meta({ description: 'Name.', example: 'a' }),
  is_open: z.boolean().default(true).meta({ description: 'Whether it is open.', example: true }),
  models: z
    .union([z.string(), z.array(z.string())])
    .transform(String)
    .pipe(z.string())
    .default('')
    .meta({ description: 'Models.', example: '' }),
  policy: z.enum(['allow', 'forbid']).default('allow').meta({ description: 'Policy.', example: 'allow' }),
  requests: limit('Requests per minute. 0: no limit.', 60),
})
const record = { name: 'a', is_open: false, models: 'b', policy: 'forbid' as const, requests: 5 }
const cells = { ...record, is_open: 0 as const }

test('stores booleans as 0 and 1 and reads them back', () => {
  expect(toCells(fields, record)).toEqual(cells)
  expect(fromCells(fields, cells)).toEqual(record)
})

test('leaves out columns that are no field, in both directions', () => {
  const row = { ...cells, key_hash: 'secret' }
  expect(fromCells(fields, row)).not.toHaveProperty('key_hash')
  expect(toCells(fields, { ...record, id: 7 })).not.toHaveProperty('id')
})

test('converts only the fields that a change contains', () => {
  const change = z.object(changesOf(fields))
  expect(change.parse({})).toEqual({})
  expect(toCells(fields, change.parse({ is_open: true, requests: undefined }))).toEqual({ is_open: 1 })
  expect(change.safeParse({ name: '' }).success).toBe(false)
})

test('shows stored values that break a rule', () => {
  const view = z.object(viewOf(fields))
  expect(view.parse({ ...record, name: '', requests: -1 })).toMatchObject({ name: '', requests: -1 })
  expect(view.shape.requests.meta()).toEqual({
    description: 'Requests per minute. 0: no limit.',
    example: 60,
  })
})

test('gives the fields that an older document lacks their defaults', () => {
  const document = z.object(cellsOf(fields))
  expect(document.parse({ name: 'a' })).toEqual({ name: 'a', ...toCells(fields, defaultsOf(fields)) })
  expect(document.safeParse({ name: 'a', is_open: true }).success).toBe(false)
})

test('rejects a transform that does not say what it returns', () => {
  expect(() => viewOf(z.object({ name: z.string().transform(String) }))).toThrow('a stored field is')
})
