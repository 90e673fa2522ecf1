import { expect, test } from 'bun:test'
import { isUnchanged, toTagChange } from './tag-change.ts'

const blank = { new_tag: 'a', models: [], groups: [], model_mapping: undefined }

test('treats a form as opened as unchanged', () => {
  expect(isUnchanged('a', blank)).toBe(true)
  expect(isUnchanged('a', { ...blank, new_tag: ' a ' })).toBe(true)
})

test('sends only changed fields; an empty name dissolves the tag and an empty mapping clears it', () => {
  expect(toTagChange('a', { ...blank, models: ['x', 'y'] })).toEqual({ tag: 'a', models: 'x,y' })
  expect(toTagChange('a', { ...blank, new_tag: '' })).toEqual({ tag: 'a', new_tag: '' })
  expect(toTagChange('a', { ...blank, model_mapping: '{}' })).toEqual({ tag: 'a', model_mapping: '{}' })
  expect(isUnchanged('a', { ...blank, new_tag: '' })).toBe(false)
})
