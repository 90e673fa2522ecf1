import { describe, expect, test } from 'bun:test'
import { LogSearch } from './search-params.ts'
import {
  countActiveFilters,
  exclude,
  excludedValues,
  includeOnly,
  toExclusionFilters,
  toLogFilters,
} from './view.ts'

const search = (change: object) => LogSearch.parse(change)

describe('exclude and includeOnly', () => {
  test('an excluded value joins the earlier exclusions of its field once', () => {
    const one = search(exclude(search({}), 'token', 'a, b'))
    const two = search({ ...one, ...exclude(one, 'token', 'c') })
    const again = search({ ...two, ...exclude(two, 'token', 'c') })
    expect(excludedValues(again, 'token')).toEqual(['a, b', 'c'])
  })

  test('excluding the current filter value clears the filter', () => {
    expect(exclude(search({ model: 'gpt-4o' }), 'model', 'gpt-4o').model).toBe('')
    expect(exclude(search({ model: 'o3' }), 'model', 'gpt-4o').model).toBeUndefined()
  })

  test('filtering by a value clears the exclusions of its field', () => {
    const only = search({ not_group: 'vip', ...includeOnly('group', 'default') })
    expect(only).toMatchObject({ group: 'default', not_group: '' })
  })
})

test('sends excluded ids and models separated by commas and excluded names one per line', () => {
  const filtered = search({ not_model: 'a\nb', not_token: 'x, y\nz', not_channel: '1\n2', not_type: '5' })
  expect(toExclusionFilters(filtered)).toEqual({
    not_model_name: 'a,b',
    not_token_name: 'x, y\nz',
    not_channel: '1,2',
    not_type: '5',
  })
  expect(toLogFilters(filtered, { start: 1, end: 0 })).toMatchObject({ not_model_name: 'a,b' })
})

test('counts the exclusions of a field as one active filter', () => {
  expect(countActiveFilters(search({ model: 'a', not_model: 'b\nc', not_user: 'ann' }))).toBe(3)
})
