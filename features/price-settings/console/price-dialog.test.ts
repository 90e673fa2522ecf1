import { expect, test } from 'bun:test'
import { newRow } from './model-prices.ts'
import { toPriceForm, toPriceRow, validate } from './price-dialog.tsx'

const row = { ...newRow('gpt-4o'), ratio: 0.625, completion: 8, cache: 0.1, cacheWrite: 1.25 }

const own = { row, defaults: undefined }
const DEFAULTS = { completion: 4, cache: 0.5, cacheWrite: 1 }

test('converts between ratios and prices per million', () => {
  const form = toPriceForm(row, undefined)
  expect(form).toMatchObject({
    pricing: 'byMillion',
    ratio: '0.625',
    completion: '8',
    input: '1.25',
    output: '10',
    cachedPrice: '0.125',
    cacheWritePrice: '1.5625',
  })
  expect(toPriceRow(form, own)).toEqual(row)
  expect(toPriceRow({ ...form, pricing: 'byToken' }, own)).toEqual(row)
})

test('keeps the other prices when one of them changes, those of default ratios included', () => {
  const mini = { row: { ...newRow('gpt-4o-mini'), ratio: 0.075 }, defaults: DEFAULTS }
  const form = toPriceForm(mini.row, DEFAULTS)
  expect(form).toMatchObject({ input: '0.15', output: '0.6', cachedPrice: '0.075', cacheWritePrice: '0.15' })
  const dearer = toPriceRow({ ...form, input: '0.3' }, mini)
  expect(dearer).toEqual({
    ...newRow('gpt-4o-mini'),
    ratio: 0.15,
    completion: 2,
    cache: 0.25,
    cacheWrite: 0.5,
  })
  expect(toPriceForm(dearer, DEFAULTS)).toMatchObject({
    input: '0.3',
    output: '0.6',
    cachedPrice: '0.075',
    cacheWritePrice: '0.15',
  })
})

test('leaves prices that are not touched, or emptied, to their default ratios', () => {
  const mini = { row: { ...newRow('gpt-4o-mini'), ratio: 0.075 }, defaults: DEFAULTS }
  const form = toPriceForm(mini.row, DEFAULTS)
  expect(toPriceRow(form, mini)).toEqual(mini.row)
  expect(toPriceRow({ ...form, output: '' }, mini)).toEqual(mini.row)
  expect(toPriceRow({ ...form, output: '0.9' }, mini)).toEqual({ ...mini.row, completion: 6 })
})

test('rejects a price for output whose input is free, since it would be stored as a ratio to it', () => {
  const form = { ...toPriceForm(row, undefined), input: '0' }
  expect(validate(form, [])).toEqual({
    output: 'inputFree',
    cachedPrice: 'inputFree',
    cacheWritePrice: 'inputFree',
  })
  expect(validate({ ...form, output: '0', cachedPrice: '', cacheWritePrice: '' }, [])).toEqual({})
})

test('validates only the fields of the chosen pricing', () => {
  const form = { ...toPriceForm(row, undefined), pricing: 'byToken', ratio: 'cheap', price: '0.1' } as const
  expect(validate(form, [])).toEqual({ ratio: 'numberNeeded' })
  expect(validate({ ...form, pricing: 'byCall' }, [])).toEqual({})
  expect(toPriceRow({ ...form, pricing: 'byCall' }, own)).toEqual({ ...newRow('gpt-4o'), price: 0.1 })
})

test('requires a name without a price', () => {
  expect(validate({ ...toPriceForm(row, undefined), name: ' ' }, [])).toEqual({ name: 'modelNeeded' })
  expect(validate(toPriceForm(row, undefined), ['gpt-4o'])).toEqual({ name: 'modelTaken' })
})
