import { expect, test } from 'bun:test'
import { safeNext } from './next-page.ts'

test('returns to the interrupted page with its filters', () => {
  expect(safeNext('/log?type=2')).toBe('/log?type=2')
})

test('drops the search of the page for another user', () => {
  expect(safeNext('/log?type=2', false)).toBe('/log')
})

test('opens the token list when nothing was interrupted', () => {
  expect(safeNext('')).toBe('/token')
  expect(safeNext('/login?expired=true')).toBe('/token')
})

test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'never leads to another site: %s',
  next => {
    expect(safeNext(next)).toBe('/token')
  },
)
