import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createJsonBodyParser, JSON_DEPTH_MAX } from './json.ts'

const LIMITS = { keysMax: 1000, elementsMax: 2000, textCharsMax: 5000 }
/** Inspects the text in pieces of this length, as it may arrive. */
function parse(text: string, limits: Partial<typeof LIMITS> = {}, pieceChars = Number.POSITIVE_INFINITY) {
  const parser = createJsonBodyParser({ ...LIMITS, ...limits })
  for (let at = 0; at < text.length; at += pieceChars) parser.push(text.slice(at, at + pieceChars))
  return parser.parse().value
}
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const listOf = (entry: string, count: number) => `[${Array.from({ length: count }, () => entry).join()}]`
const codeOf = (text: string, limits?: Partial<typeof LIMITS>) => {
  try {
    parse(text, limits)
    return 'accepted'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

test('parses JSON up to the maximum depth and rejects deeper JSON', () => {
  expect(parse(nested(JSON_DEPTH_MAX))).toBeArray()
  expect(() => parse(nested(JSON_DEPTH_MAX + 1))).toThrow('128 levels')
})

test('rejects a hundred thousand levels of arrays or objects without overflowing the stack', () => {
  for (const text of [nested(100_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`])
    expect(() => parse(text)).toThrow('levels')
})

test('reports the problem with a text that is not JSON', () => {
  for (const text of ['{', '"a', '"a\\', '[1,]', '{"a" "b"}', '\\"', 'nul', '{"a":1}}', ''])
    expect(() => parse(text)).toThrow('not valid JSON')
})

test('counts lists, objects and separators as elements, but nothing inside texts', () => {
  expect(codeOf(listOf('1', 10), { elementsMax: 10 })).toBe('accepted')
  expect(() => parse(listOf('1', 11), { elementsMax: 10 })).toThrow('more than 10 elements')
  expect(() => parse(listOf('{}', 6), { elementsMax: 10 })).toThrow('more than 10 elements')
  expect(codeOf(JSON.stringify('[{,"'.repeat(100)), { elementsMax: 0, keysMax: 0 })).toBe('accepted')
})

test('counts the keys of all objects together', () => {
  expect(codeOf('[{"a":1},{"b":{"c":":"}}]', { keysMax: 3 })).toBe('accepted')
  expect(() => parse('[{"a":1},{"b":{"c":":"}}]', { keysMax: 2 })).toThrow('more than 2 keys')
})

describe('text', () => {
  const MANY = 6000

  test('is limited without images, audio and files', () => {
    const base64 = 'Aa0+/='.repeat(MANY)
    for (const media of [base64, `data:image/png;base64,${base64}`, base64.replaceAll('/', '\\/')])
      expect(codeOf(`{"url":"${media}"}`)).toBe('accepted')
    for (const words of [
      'words and '.repeat(MANY),
      '字'.repeat(MANY),
      `data:text/plain,${'a b '.repeat(MANY)}`,
    ])
      expect(codeOf(JSON.stringify({ words }))).toBe('body_too_large')
    expect(codeOf(`[${' '.repeat(MANY)}]`)).toBe('body_too_large')
  })

  test('that arrives in pieces is counted as if it arrived at once', () => {
    const body = JSON.stringify({ a: '\\"[{,'.repeat(50), b: 'Aa0+'.repeat(MANY), c: [1, { d: '\\' }] })
    for (const pieceChars of [7, 100, 4096]) {
      expect(() => parse(body, { elementsMax: 6, keysMax: 4, textCharsMax: 2000 }, pieceChars)).not.toThrow()
      expect(() => parse(body, { elementsMax: 5 }, pieceChars)).toThrow('more than 5 elements')
      expect(() => parse(body, { keysMax: 3 }, pieceChars)).toThrow('more than 3 keys')
    }
  })

  test('that is too long is reported in MiB', () => {
    expect(() => parse(JSON.stringify('a b'.repeat(MANY)), { textCharsMax: 2 ** 10 })).toThrow('MiB of text')
  })
})

describe('a key that an object contains twice', () => {
  const NESTED = [
    '{"model":"a","model":"b"}',
    '{"a":{"model":1 , "x":{"model":2},\n"model" :3}}',
    '[{"model":1},{"model":1,"mod\\u0065l":2}]',
    '{"__proto__":{"a":1},"model":0,"model":0}',
  ]

  test('is rejected by name at every level, however it is escaped', () => {
    for (const text of NESTED) expect(() => parse(text)).toThrow(/has the key "mod.*l" twice/)
  })

  test('is not confused with equal keys of different objects or with values', () => {
    for (const text of [
      '[{"a":1},{"a":2}]',
      '{"a":{"a":"a"}}',
      '{"a":"\\"b\\":1,\\"b\\":2"}',
      '{"":0,"a":""}',
    ])
      expect(codeOf(text)).toBe('accepted')
  })
})

test('accepts exactly the output of JSON.stringify for any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' }), fc.nat(9), (value, length) => {
      const text = JSON.stringify(value)
      expect(JSON.stringify(parse(text, {}, length + 1))).toBe(text)
    }),
  )
})

test('parses a key such as __proto__ as an ordinary key', () => {
  expect(Object.keys(Object(parse('{"__proto__":1,"constructor":2}')))).toEqual(['__proto__', 'constructor'])
})
