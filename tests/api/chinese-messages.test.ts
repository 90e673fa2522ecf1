import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { systemOptions } from '#contract/options/system-options.ts'
import { parseInput } from '#server/api/parse-input.ts'
import { ApiError } from '#server/core/api-error.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { foreignWords } from '../tidy/language-findings.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

/** Values that some field does not take, each for another reason. */
const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  0,
  1.5,
  2e53,
  Number.NaN,
  '',
  '-',
  'x'.repeat(70_000),
  '[1]',
  '{"":0}',
  '{"-":{"-":[]}}',
  '{"-":"-"}',
  '{a}',
  '0',
  'https://',
  [],
  [[]],
  [1.5],
  ['-', '-'],
  Array.from({ length: 5000 }, () => 1),
  {},
  { '-': {} },
  { '-': [''] },
]

/** Names of fields, and what the caller wrote, are repeated as they are. */
const REPEATED = /[\w$.-]+: /g

function chineseMessages(schema: z.ZodType): readonly string[] {
  return VALUES.flatMap(value => {
    try {
      parseInput(schema, value, 'zh')
      return []
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return [error.in('zh')]
    }
  })
}

/** The schemas of all fields of an input, and the input's own. */
const schemasOf = (schema: z.ZodType): readonly z.ZodType[] =>
  schema instanceof z.ZodObject ? [schema, ...Object.values(schema.shape)] : [schema]

test('no message about a wrong input has a foreign word in Chinese', () => {
  const inputs = app.routes.flatMap(({ endpoint }) => [endpoint.body, endpoint.query, endpoint.params])
  const options = Object.values(systemOptions).map(({ schema }) => schema)
  const messages = new Set([...inputs.flatMap(schemasOf), ...options].flatMap(chineseMessages))
  expect(messages.size).toBeGreaterThan(100)
  const foreign = [...messages].filter(message => foreignWords(message.replace(REPEATED, '')).length > 0)
  expect(foreign.map(message => message.slice(0, 200))).toEqual([])
})
