import { expect, test } from 'bun:test'
import { formOf, problemsOf, rowOfForm } from './price-dialog.tsx'

const row = { name: 'gpt-4o', price: undefined, ratio: 1.25, completion: 4 }

test('ratios and prices for a million say the same', () => {
  const form = formOf(row)
  expect(form).toMatchObject({
    pricing: 'byToken',
    ratio: '1.25',
    completion: '4',
    input: '2.5',
    output: '10',
  })
  expect(rowOfForm({ ...form, pricing: 'byMillion' })).toEqual(row)
})

test('only the fields of the chosen way of pricing count', () => {
  const form = { ...formOf(row), ratio: 'cheap', price: '0.1' }
  expect(problemsOf(form, [])).toEqual({ ratio: 'numberNeeded' })
  expect(problemsOf({ ...form, pricing: 'byCall' }, [])).toEqual({})
  expect(rowOfForm({ ...form, pricing: 'byCall' })).toEqual({
    name: 'gpt-4o',
    price: 0.1,
    ratio: undefined,
    completion: undefined,
  })
})

test('a model needs a name that has no price yet', () => {
  expect(problemsOf({ ...formOf(row), name: ' ' }, [])).toEqual({ name: 'modelNeeded' })
  expect(problemsOf(formOf(row), ['gpt-4o'])).toEqual({ name: 'modelTaken' })
})

test('the completion ratio may be left to the gateway', () => {
  const form = { ...formOf(row), completion: '', output: '' }
  expect(problemsOf(form, [])).toEqual({})
  expect(rowOfForm(form).completion).toBeUndefined()
  expect(rowOfForm({ ...form, pricing: 'byMillion' }).completion).toBeUndefined()
})
