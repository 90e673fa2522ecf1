import { expect, test } from 'bun:test'
import { formFields } from './parse-request.ts'

const PARTS = 60_000
const QUICK_MS = 2_000

function formOf(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

test('a name that comes again, or says that it is a list, makes a list in the order of coming', async () => {
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

test('twice as many parts of one name take twice as long, not four times', async () => {
  const form = formOf(...Array.from({ length: PARTS }, () => ['a[]', 'x'] as const))
  const startedMs = performance.now()
  expect((await formFields(form)).a).toHaveLength(PARTS)
  expect(performance.now() - startedMs).toBeLessThan(QUICK_MS)
})
