import { expect, test } from 'bun:test'
import { formFields } from './parse-request.ts'

const PARTS = 60_000
const DURATION_MS_MAX = 2_000

function formOf(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

test('turns a form field that repeats or ends in [] into a list in order', async () => {
  const form = formOf(
    ['one', '1'],
    ['list[]', 'a'],
    ['again', 'x'],
    ['again', 'y'],
    ['mixed', '1'],
    ['mixed[]', '2'],
  )
  expect(await formFields(form)).toEqual({ one: '1', list: ['a'], again: ['x', 'y'], mixed: ['1', '2'] })
})

test('parses many form parts of one name in linear time', async () => {
  const form = formOf(...Array.from({ length: PARTS }, () => ['a[]', 'x'] as const))
  const startedMs = performance.now()
  expect((await formFields(form)).a).toHaveLength(PARTS)
  expect(performance.now() - startedMs).toBeLessThan(DURATION_MS_MAX)
})
