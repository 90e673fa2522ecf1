import { expect, test } from 'bun:test'
import { z } from 'zod'
import { limit } from '#contract/entities/stored.ts'
import { localizedError } from '#contract/fields.ts'
import { formOf } from './form-of.ts'
import { issueText } from './issue-text.ts'

const fields = z.object({
  name: z
    .string()
    .trim()
    .refine(name => name !== 'x', localizedError('不能是 x', 'x is taken')),
  is_open: z.boolean().default(true),
  requests: limit('Requests per minute. 0: no limit.', 60),
})
const form = formOf(fields)
const rules = z.object(form.rules)

test('starts with the defaults, numbers as text', () => {
  expect(form.start).toEqual({ name: '', is_open: true, requests: '0' })
})

test('keeps a record unchanged that is read into the form and back', () => {
  const record = { name: 'a', is_open: false, requests: 60 }
  expect(form.toFields(form.fromRecord(record))).toEqual(record)
})

test('takes only the fields of a longer record', () => {
  const record = { name: 'a', is_open: false, requests: 60, id: 7 }
  expect(form.fromRecord(record)).toEqual({ name: 'a', is_open: false, requests: '60' })
})

test('normalises text by its rule and empty numbers to their default', () => {
  expect(form.toFields({ name: ' a ', is_open: true, requests: ' ' })).toEqual({
    name: 'a',
    is_open: true,
    requests: 0,
  })
})

test('names the bounds of a number that is not whole or out of them', () => {
  for (const requests of ['-1', '1.5', 'many', '1000001']) {
    const { error } = rules.safeParse({ ...form.start, requests })
    expect(error?.issues.map(issue => issueText(issue, 'zh'))).toEqual(['必须是 0 到 1000000 的整数'])
  }
})

test("shows the contract's message in the reader's language", () => {
  const { error } = rules.safeParse({ ...form.start, name: 'x' })
  expect(error?.issues.map(issue => issueText(issue, 'en'))).toEqual(['x is taken'])
})

test('reads back a draft whatever its rules', () => {
  expect(z.object(form.values).parse({ name: 'x', is_open: true, requests: 'many' }).requests).toBe('many')
})
