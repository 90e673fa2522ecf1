import { expect, test } from 'bun:test'
import { toCsv } from '../../../app/list/csv.ts'
import {
  CSV_HEAD,
  csvLine,
  dollarsOfRatio,
  type PriceTables,
  parseCsv,
  priceRows,
  ratioOfDollars,
  unpricedModels,
  withoutModel,
  withRow,
} from './model-prices.ts'

const tables: PriceTables = {
  prices: { 'dall-e-3': 0.04, 'gpt-4-gizmo-*': 0.1 },
  ratios: { 'gpt-4o': 1.25, o1: 7.5 },
  completions: { 'gpt-4o': 4 },
}

test('lists a model once when any table has it', () => {
  expect(priceRows(tables).map(({ name }) => name)).toEqual(['dall-e-3', 'gpt-4-gizmo-*', 'gpt-4o', 'o1'])
  expect(priceRows(tables)[2]).toEqual({ name: 'gpt-4o', price: undefined, ratio: 1.25, completion: 4 })
})

test('removes only the ratios of a model with a price per call', () => {
  const changed = withRow(tables, { name: 'gpt-4o', price: 0.5, ratio: 1.25, completion: 4 })
  expect(changed.prices['gpt-4o']).toBe(0.5)
  expect(changed.ratios).toEqual({ o1: 7.5 })
  expect(changed.completions).toEqual({})
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
  const odd = { name: 'a,"b"', price: undefined, ratio: 0.5, completion: undefined }
  const rows = [...priceRows(tables), odd]
  expect(parseCsv(toCsv([CSV_HEAD, ...rows.map(csvLine)]))).toEqual({ rows })
})

test('reports the line of an invalid row', () => {
  expect(parseCsv('model,fixed_price\ngood,1\nbad,cheap\n')).toEqual({ badLine: 3 })
  expect(parseCsv('model\n,1')).toEqual({ badLine: 2 })
})
