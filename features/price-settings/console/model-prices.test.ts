import { expect, test } from 'bun:test'
import { toCsv } from '#console/app/list/csv.ts'
import {
  bucketPrice,
  CSV_HEAD,
  csvLine,
  dollarsOfRatio,
  newRow,
  type PriceTables,
  parseCsv,
  priceRows,
  ratioOfDollars,
  servedFirst,
  similarPrice,
  unpricedModels,
  withoutModel,
  withRow,
} from './model-prices.ts'

const tables: PriceTables = {
  prices: { 'dall-e-3': 0.04, 'gpt-4-gizmo-*': 0.1 },
  ratios: { 'gpt-4o': 1.25, o1: 7.5 },
  completions: { 'gpt-4o': 4 },
  caches: { 'gpt-4o': 0.5 },
  cacheWrites: {},
}

test('lists a model once when any table has it', () => {
  expect(priceRows(tables).map(({ name }) => name)).toEqual(['dall-e-3', 'gpt-4-gizmo-*', 'gpt-4o', 'o1'])
  expect(priceRows(tables)[2]).toEqual({ ...newRow('gpt-4o'), ratio: 1.25, completion: 4, cache: 0.5 })
})

test('lists models that channels serve before the others', () => {
  const names = servedFirst(priceRows(tables), new Set(['o1'])).map(({ name }) => name)
  expect(names).toEqual(['o1', 'dall-e-3', 'gpt-4-gizmo-*', 'gpt-4o'])
})

test.each([
  ['gpt-4o-2027-01-01', 'gpt-4o'],
  ['eu/GPT-4o', 'gpt-4o'],
  ['o1-gpt-4o', 'gpt-4o'],
  ['gpt-4omni', undefined],
  ['kilo1', undefined],
  ['gpt-4', undefined],
  ['gpt-4o', undefined],
])('finds the model that %s is like: %s', (name, of) => {
  expect(similarPrice(name, tables, undefined)?.of).toBe(of)
})

test('is like no model that has no price itself', () => {
  const completions = { nothing: 2 }
  expect(similarPrice('eu/nothing', { ...tables, completions }, undefined)).toBeUndefined()
})

test('proposes default ratios as own ones, since defaults go by the name', () => {
  const defaults = new Map([['gpt-4o', { completion: 3, cache: 0.1, cacheWrite: 1.25 }]])
  expect(similarPrice('my-gpt-4o', tables, defaults)?.row).toEqual({
    ...newRow('my-gpt-4o'),
    ratio: 1.25,
    completion: 4,
    cache: 0.5,
    cacheWrite: 1.25,
  })
})

test('removes only the ratios of a model with a price per call', () => {
  const changed = withRow(tables, { ...newRow('gpt-4o'), price: 0.5, ratio: 1.25, completion: 4, cache: 0.5 })
  expect(changed.prices['gpt-4o']).toBe(0.5)
  expect(changed.ratios).toEqual({ o1: 7.5 })
  expect([changed.completions, changed.caches]).toEqual([{}, {}])
  expect(changed.cacheWrites).toBe(tables.cacheWrites)
  expect(withoutModel(tables, 'o1').ratios).toEqual({ 'gpt-4o': 1.25 })
})

test('converts a ratio of 1 to two dollars per million tokens and back', () => {
  expect(dollarsOfRatio(1.25)).toBe(2.5)
  expect(ratioOfDollars(2.5)).toBe(1.25)
})

test('finds models that no name and no wildcard covers', () => {
  expect(unpricedModels(['gpt-4o', 'mine', 'gpt-4-gizmo-abc', 'dall-e-3'], tables)).toEqual(['mine'])
})

test('reads back an exported file unchanged', () => {
  const odd = { ...newRow('a,"b"'), ratio: 0.5, cacheWrite: 1.25 }
  const rows = [...priceRows(tables), odd]
  expect(parseCsv(toCsv([CSV_HEAD, ...rows.map(csvLine)]))).toEqual({ rows, hasCache: true })
})

test('reads a file without columns for the cache', () => {
  const parsed = parseCsv('model,fixed_price,model_ratio,completion_ratio\na,,1,2\n')
  expect(parsed).toEqual({ rows: [{ ...newRow('a'), ratio: 1, completion: 2 }], hasCache: false })
})

test('prices each bucket at its own ratio, else at the default, and says which', () => {
  const row = { ...newRow('gpt-4o'), ratio: 0.625, cache: 0.1 }
  const defaults = { completion: 8, cache: 1, cacheWrite: 1.25 }
  expect(bucketPrice(row, 'input', defaults)).toEqual({ dollars: 1.25, isDefault: false })
  expect(bucketPrice(row, 'cache', defaults)).toEqual({ dollars: 0.125, isDefault: false })
  expect(bucketPrice(row, 'completion', defaults)).toEqual({ dollars: 10, isDefault: true })
  expect(bucketPrice(row, 'cacheWrite', undefined)).toBeUndefined()
})

test('reports the line of an invalid row', () => {
  expect(parseCsv('model,fixed_price\ngood,1\nbad,cheap\n')).toEqual({ badLine: 3 })
  expect(parseCsv('model\n,1')).toEqual({ badLine: 2 })
})
