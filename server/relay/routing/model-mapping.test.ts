import { expect, test } from 'bun:test'
import { mapModel } from './model-mapping.ts'

test('a name without an entry stays', () => expect(mapModel({ a: 'b' }, 'c')).toBe('c'))
test('a chain is followed to its end', () => expect(mapModel({ a: 'b', b: 'c' }, 'a')).toBe('c'))
test('a name mapped to itself ends the chain', () => expect(mapModel({ a: 'b', b: 'b' }, 'a')).toBe('b'))
test('a circle gives no name', () => expect(mapModel({ a: 'b', b: 'c', c: 'b' }, 'a')).toBeUndefined())
test('names of built-in members are ordinary names', () =>
  expect(mapModel({}, 'constructor')).toBe('constructor'))
