import { describe, expect, test } from 'bun:test'
import { findHiddenFailures, findMappingWarnings, formatPairs, parsePairs } from './mapping.ts'

describe('mapping text and pairs', () => {
  test('converts pairs to text and back', () => {
    const pairs = [
      { from: 'gpt-3.5-turbo', to: 'gpt-3.5-turbo-0125' },
      { from: 'a', to: 'b' },
    ]
    expect(parsePairs(formatPairs(pairs))).toEqual(pairs)
  })

  test('omits incomplete pairs and gives empty text without pairs', () => {
    expect(formatPairs([{ from: 'a', to: ' ' }])).toBe('')
    expect(parsePairs('')).toEqual([])
  })

  test('gives no pairs for invalid JSON or values that are not strings', () => {
    expect([parsePairs('{"a":'), parsePairs('["a"]'), parsePairs('{"a":1}')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('mapping warnings', () => {
  const warnings = (pairs: Record<string, string>, models: string[]) =>
    findMappingWarnings(
      Object.entries(pairs).map(([from, to]) => ({ from, to })),
      models,
    )

  test('warns about a source that the channel does not offer', () => {
    expect(warnings({ a: 'x', b: 'x' }, ['a']).unoffered).toEqual(['b'])
  })

  test('warns about a target that can be requested by its own name', () => {
    expect(warnings({ a: 'b', c: 'd' }, ['a', 'b', 'c']).exposed).toEqual(['b'])
  })

  test('warns about loops of any length but not about a name mapped to itself', () => {
    expect(warnings({ a: 'b', b: 'c', c: 'a', d: 'a', e: 'e' }, []).looping).toEqual(['a', 'b', 'c'])
  })

  test('warns about a source that occurs twice', () => {
    const twice = [
      { from: 'a', to: 'x' },
      { from: 'a', to: 'y' },
    ]
    expect(findMappingWarnings(twice, ['a']).repeated).toEqual(['a'])
  })
})

test('finds status mappings that turn a failure into a success', () => {
  expect(findHiddenFailures('{"400":"500","404":200,"200":"500"}')).toEqual(['404 → 200'])
  expect(findHiddenFailures('{"400":')).toEqual([])
})
