import { expect, test } from 'bun:test'
import { isUnchanged, toTagChange } from './tag-change.ts'

const blank = { newTag: 'a', models: [], groups: [], mapping: undefined }

test('a form as it was opened changes nothing', () => {
  expect(isUnchanged('a', blank)).toBe(true)
  expect(isUnchanged('a', { ...blank, newTag: ' a ' })).toBe(true)
})

test('only what is changed is sent; an emptied name dissolves the tag, an empty mapping clears it', () => {
  expect(toTagChange('a', { ...blank, models: ['x', 'y'] })).toEqual({ tag: 'a', models: 'x,y' })
  expect(toTagChange('a', { ...blank, newTag: '' })).toEqual({ tag: 'a', new_tag: '' })
  expect(toTagChange('a', { ...blank, mapping: '{}' })).toEqual({ tag: 'a', model_mapping: '{}' })
  expect(isUnchanged('a', { ...blank, newTag: '' })).toBe(false)
})
