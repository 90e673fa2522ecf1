import { describe, expect, test } from 'bun:test'
import { findHiddenFailures, findMappingWarnings, formatPairs, parsePairs } from './mapping.ts'

describe('a mapping as text and as pairs', () => {
  test('goes there and back', () => {
    const pairs = [
      { from: 'gpt-3.5-turbo', to: 'gpt-3.5-turbo-0125' },
      { from: 'a', to: 'b' },
    ]
    expect(parsePairs(formatPairs(pairs))).toEqual(pairs)
  })

  test('is empty when nothing is filled in, and a half-filled pair is left out', () => {
    expect(formatPairs([{ from: 'a', to: ' ' }])).toBe('')
    expect(parsePairs('')).toEqual([])
  })

  test('has no pairs when the text is broken or holds something else than texts', () => {
    expect([parsePairs('{"a":'), parsePairs('["a"]'), parsePairs('{"a":1}')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('doubts about a mapping', () => {
  const doubts = (pairs: Record<string, string>, models: string[]) =>
    findMappingWarnings(
      Object.entries(pairs).map(([from, to]) => ({ from, to })),
      models,
    )

  test('a source that the channel does not offer', () => {
    expect(doubts({ a: 'x', b: 'x' }, ['a']).unoffered).toEqual(['b'])
  })

  test('a target that can be asked for by its own name', () => {
    expect(doubts({ a: 'b', c: 'd' }, ['a', 'b', 'c']).exposed).toEqual(['b'])
  })

  test('names that lead back to themselves, over one step or many, but not a name mapped to itself', () => {
    expect(doubts({ a: 'b', b: 'c', c: 'a', d: 'a', e: 'e' }, []).looping).toEqual(['a', 'b', 'c'])
  })

  test('a source that is named twice', () => {
    const twice = [
      { from: 'a', to: 'x' },
      { from: 'a', to: 'y' },
    ]
    expect(findMappingWarnings(twice, ['a']).repeated).toEqual(['a'])
  })
})

test('a failure told as success is found, other changes of status are not', () => {
  expect(findHiddenFailures('{"400":"500","404":200,"200":"500"}')).toEqual(['404 → 200'])
  expect(findHiddenFailures('{"400":')).toEqual([])
})
