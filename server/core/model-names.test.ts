import { expect, test } from 'bun:test'
import { mapModel } from './model-names.ts'

test('keeps a model name without a mapping', () => expect(mapModel({ a: 'b' }, 'c')).toBe('c'))
test('follows a chain of mappings to its end', () => expect(mapModel({ a: 'b', b: 'c' }, 'a')).toBe('c'))
test('ends the chain at a name that maps to itself', () =>
  expect(mapModel({ a: 'b', b: 'b' }, 'a')).toBe('b'))
test('returns undefined for a circular mapping', () =>
  expect(mapModel({ a: 'b', b: 'c', c: 'b' }, 'a')).toBeUndefined())
test('treats names of built-in members as ordinary model names', () =>
  expect(mapModel({}, 'constructor')).toBe('constructor'))
