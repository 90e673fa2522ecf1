import { expect, test } from 'bun:test'
import type { FormField } from './client-connection.ts'
import { formFields } from './parse-request.ts'

const PARTS = 60_000
const DURATION_MS_MAX = 2_000

const formOf = (...fields: readonly (readonly [name: string, value: string])[]): readonly FormField[] =>
  fields.map(([name, value]) => ({ name, value }))

test('turns a form field that repeats or ends in [] into a list in order', () => {
  const form = formOf(
    ['one', '1'],
    ['list[]', 'a'],
    ['again', 'x'],
    ['again', 'y'],
    ['mixed', '1'],
    ['mixed[]', '2'],
  )
  expect(formFields(form)).toEqual({ one: '1', list: ['a'], again: ['x', 'y'], mixed: ['1', '2'] })
})

test('parses many form parts of one name in linear time', () => {
  const form = formOf(...Array.from({ length: PARTS }, () => ['a[]', 'x'] as const))
  const startedMs = performance.now()
  expect(formFields(form).a).toHaveLength(PARTS)
  expect(performance.now() - startedMs).toBeLessThan(DURATION_MS_MAX)
})
