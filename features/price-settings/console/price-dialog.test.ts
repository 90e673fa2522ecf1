import { expect, test } from 'bun:test'
import { newRow } from './model-prices.ts'
import { toPriceForm, toPriceRow, validate } from './price-dialog.tsx'

const row = { ...newRow('gpt-4o'), ratio: 0.625, completion: 8, cache: 0.1, cacheWrite: 1.25 }

test('converts between ratios and prices per million', () => {
  const form = toPriceForm(row)
  expect(form).toMatchObject({
    pricing: 'byToken',
    ratio: '0.625',
    completion: '8',
    input: '1.25',
    output: '10',
    cachedPrice: '0.125',
    cacheWritePrice: '1.5625',
  })
  expect(toPriceRow({ ...form, pricing: 'byMillion' })).toEqual(row)
})

test('validates only the fields of the chosen pricing', () => {
  const form = { ...toPriceForm(row), ratio: 'cheap', price: '0.1' }
  expect(validate(form, [])).toEqual({ ratio: 'numberNeeded' })
  expect(validate({ ...form, pricing: 'byCall' }, [])).toEqual({})
  expect(toPriceRow({ ...form, pricing: 'byCall' })).toEqual({ ...newRow('gpt-4o'), price: 0.1 })
})

test('requires a name without a price', () => {
  expect(validate({ ...toPriceForm(row), name: ' ' }, [])).toEqual({ name: 'modelNeeded' })
  expect(validate(toPriceForm(row), ['gpt-4o'])).toEqual({ name: 'modelTaken' })
})

test('accepts an empty completion ratio', () => {
  const form = { ...toPriceForm(row), completion: '', output: '' }
  expect(validate(form, [])).toEqual({})
  expect(toPriceRow(form).completion).toBeUndefined()
  expect(toPriceRow({ ...form, pricing: 'byMillion' }).completion).toBeUndefined()
})
