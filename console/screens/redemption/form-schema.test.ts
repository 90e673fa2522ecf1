import { expect, test } from 'bun:test'
import { textOf } from '../../ui/text/text.ts'
import { codeFormSchema, NEW_CODE, toRedemptionDraft } from './form-schema.ts'
import { text } from './text.ts'

const t = textOf(text)
const isFine = (change: Partial<typeof NEW_CODE>, isNew = true): boolean =>
  codeFormSchema(t, isNew).safeParse({ ...NEW_CODE, ...change }).success

test('a new code may be without a name, a stored one may not', () => {
  expect(isFine({ name: ' ' })).toBe(true)
  expect(isFine({ name: ' ' }, false)).toBe(false)
})

test('a name has at most 20 characters, whatever their bytes', () => {
  expect(isFine({ name: '春'.repeat(20) })).toBe(true)
  expect(isFine({ name: '🎁'.repeat(20) })).toBe(true)
  expect(isFine({ name: '春'.repeat(21) })).toBe(false)
})

test('worth is a positive whole number, the count is from 1 to 100', () => {
  for (const quota of ['', '0', '-5', '1.5', 'ten']) expect(isFine({ quota })).toBe(false)
  for (const count of ['', '0', '101', '2.5']) expect(isFine({ count })).toBe(false)
  expect(isFine({ quota: ' 1 ', count: '100' })).toBe(true)
})

test('the draft holds numbers and a trimmed name', () => {
  expect(toRedemptionDraft({ name: ' gift ', quota: '500', count: '3' })).toEqual({
    name: 'gift',
    quota: 500,
    count: 3,
  })
})
