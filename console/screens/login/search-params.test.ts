import { expect, test } from 'bun:test'
import { safeNext } from './search-params.ts'

test('leads back to the page that was interrupted, with its filters', () => {
  expect(safeNext('/log?type=2')).toBe('/log?type=2')
})

test('leads to the tokens when nothing was interrupted', () => {
  expect(safeNext('')).toBe('/token')
  expect(safeNext('/login?expired=true')).toBe('/token')
})

test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'never leads to another site: %s',
  next => {
    expect(safeNext(next)).toBe('/token')
  },
)
