import { expect, test } from 'bun:test'
import { toCsv } from '../../../app/list/csv.ts'
import {
  CSV_HEAD,
  csvLine,
  dollarsOfRatio,
  type PriceTables,
  ratioOfDollars,
  rowsInCsv,
  rowsOf,
  unpricedOf,
  withoutModel,
  withRow,
} from './model-prices.ts'

const tables: PriceTables = {
  prices: { 'dall-e-3': 0.04, 'gpt-4-gizmo-*': 0.1 },
  ratios: { 'gpt-4o': 1.25, o1: 7.5 },
  completions: { 'gpt-4o': 4 },
}

test('a model that stands in any of the tables is one row', () => {
  expect(rowsOf(tables).map(({ name }) => name)).toEqual(['dall-e-3', 'gpt-4-gizmo-*', 'gpt-4o', 'o1'])
  expect(rowsOf(tables)[2]).toEqual({ name: 'gpt-4o', price: undefined, ratio: 1.25, completion: 4 })
})

test('a price per call takes the ratios of the model away, and nothing else', () => {
  const changed = withRow(tables, { name: 'gpt-4o', price: 0.5, ratio: 1.25, completion: 4 })
  expect(changed.prices['gpt-4o']).toBe(0.5)
  expect(changed.ratios).toEqual({ o1: 7.5 })
  expect(changed.completions).toEqual({})
  expect(withoutModel(tables, 'o1').ratios).toEqual({ 'gpt-4o': 1.25 })
})

test('a ratio of 1 is two dollars for a million tokens, both ways', () => {
  expect(dollarsOfRatio(1.25)).toBe(2.5)
  expect(ratioOfDollars(2.5)).toBe(1.25)
})

test('models without a price are those that no name and no wildcard covers', () => {
  expect(unpricedOf(['gpt-4o', 'mine', 'gpt-4-gizmo-abc', 'dall-e-3'], tables)).toEqual(['mine'])
})

test('what is exported is read back as it was', () => {
  const odd = { name: 'a,"b"', price: undefined, ratio: 0.5, completion: undefined }
  const rows = [...rowsOf(tables), odd]
  expect(rowsInCsv(toCsv([CSV_HEAD, ...rows.map(csvLine)]))).toEqual({ rows })
})

test('a line that cannot be read is named, and nothing is guessed', () => {
  expect(rowsInCsv('model,fixed_price\ngood,1\nbad,cheap\n')).toEqual({ badLine: 3 })
  expect(rowsInCsv('model\n,1')).toEqual({ badLine: 2 })
})
