import { expect, test } from 'bun:test'
import { toPriceForm, toPriceRow, validate } from './price-dialog.tsx'

const row = { name: 'gpt-4o', price: undefined, ratio: 1.25, completion: 4 }

test('converts between ratios and prices per million', () => {
  const form = toPriceForm(row)
  expect(form).toMatchObject({
    pricing: 'byToken',
    ratio: '1.25',
    completion: '4',
    input: '2.5',
    output: '10',
  })
  expect(toPriceRow({ ...form, pricing: 'byMillion' })).toEqual(row)
})

test('validates only the fields of the chosen pricing', () => {
  const form = { ...toPriceForm(row), ratio: 'cheap', price: '0.1' }
  expect(validate(form, [])).toEqual({ ratio: 'numberNeeded' })
  expect(validate({ ...form, pricing: 'byCall' }, [])).toEqual({})
  expect(toPriceRow({ ...form, pricing: 'byCall' })).toEqual({
    name: 'gpt-4o',
    price: 0.1,
    ratio: undefined,
    completion: undefined,
  })
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
