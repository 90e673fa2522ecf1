import { describe, expect, test } from 'bun:test'
import { exclude, toExclusionFilters, excludedValues, includeOnly } from './exclusions.ts'
import { countActiveFilters, toLogFilters } from './log-state.ts'
import { LogSearch } from './search.ts'

const search = (change: object) => LogSearch.parse(change)

describe('a value of a row', () => {
  test('that is left out joins those that are left out already, once', () => {
    const one = search(exclude(search({}), 'token', 'a, b'))
    const two = search({ ...one, ...exclude(one, 'token', 'c') })
    const again = search({ ...two, ...exclude(two, 'token', 'c') })
    expect(excludedValues(again, 'token')).toEqual(['a, b', 'c'])
  })

  test('that was the filter is no longer one when it is left out', () => {
    expect(exclude(search({ model: 'gpt-4o' }), 'model', 'gpt-4o').model).toBe('')
    expect(exclude(search({ model: 'o3' }), 'model', 'gpt-4o').model).toBeUndefined()
  })

  test('that becomes the filter ends what its field left out', () => {
    const only = search({ not_group: 'vip', ...includeOnly('group', 'default') })
    expect(only).toMatchObject({ group: 'default', not_group: '' })
  })
})

test('what is left out is asked of the server: numbers and models with commas, names one a line', () => {
  const wanted = search({ not_model: 'a\nb', not_token: 'x, y\nz', not_channel: '1\n2', not_type: '5' })
  expect(toExclusionFilters(wanted)).toEqual({
    not_model_name: 'a,b',
    not_token_name: 'x, y\nz',
    not_channel: '1,2',
    not_type: '5',
  })
  expect(toLogFilters(wanted, { start: 1, end: 0 })).toMatchObject({ not_model_name: 'a,b' })
})

test('each field that leaves something out counts as one filter', () => {
  expect(countActiveFilters(search({ model: 'a', not_model: 'b\nc', not_user: 'ann' }))).toBe(3)
})
