import { expect, test } from 'bun:test'
import { translatorOf } from '#console/ui/text/text.ts'
import { codeFormSchema, NEW_CODE, toRedemptionDraft } from './form-schema.ts'
import { text } from './text.ts'

const t = translatorOf(text)
const isValid = (change: Partial<typeof NEW_CODE>, isNew = true): boolean =>
  codeFormSchema(t, isNew).safeParse({ ...NEW_CODE, ...change }).success

test('requires a name for an existing code only', () => {
  expect(isValid({ name: ' ' })).toBe(true)
  expect(isValid({ name: ' ' }, false)).toBe(false)
})

test('limits a name to 20 characters regardless of their bytes', () => {
  expect(isValid({ name: '春'.repeat(20) })).toBe(true)
  expect(isValid({ name: '🎁'.repeat(20) })).toBe(true)
  expect(isValid({ name: '春'.repeat(21) })).toBe(false)
})

test('requires a positive whole quota and a count from 1 to 100', () => {
  for (const quota of ['', '0', '-5', '1.5', 'ten']) expect(isValid({ quota })).toBe(false)
  for (const count of ['', '0', '101', '2.5']) expect(isValid({ count })).toBe(false)
  expect(isValid({ quota: ' 1 ', count: '100' })).toBe(true)
})

test('sends numbers and a trimmed name', () => {
  expect(toRedemptionDraft({ name: ' gift ', quota: '500', count: '3' })).toEqual({
    name: 'gift',
    quota: 500,
    count: 3,
  })
})
