import { expect, test } from 'bun:test'
import { z } from 'zod'
import { localizedError } from '#contract/fields.ts'
import { issueText } from './issue-text.ts'
import { formResolver } from './record-form.ts'

const schema = z.object({
  name: z.string().min(1),
  code: z.string().refine(code => code === 'x', localizedError('不对', 'wrong')),
  count: z.number().max(5),
})

const run = (values: z.input<typeof schema>) =>
  formResolver(schema)(values, undefined, { fields: {}, shouldUseNativeValidation: false })

test('returns the parsed values when they are valid', async () => {
  expect(await run({ name: 'a', code: 'x', count: 1 })).toEqual({
    values: { name: 'a', code: 'x', count: 1 },
    errors: {},
  })
})

test('reports one message a field, in Chinese by default', async () => {
  const { errors } = await run({ name: '', code: 'y', count: 9 })
  expect(errors).toMatchObject({
    name: { message: '请填写此项' },
    code: { message: '不对' },
    count: { message: '不能大于 5' },
  })
})

test('shows messages of contract rules in the requested language', () => {
  const issues = schema.safeParse({ name: 'a', code: 'y', count: 1 }).error?.issues ?? []
  expect(issues.map(issue => issueText(issue, 'en'))).toEqual(['wrong'])
})
