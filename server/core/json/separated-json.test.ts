import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MIB } from '../limits.ts'
import { type CheckedJson, createJsonBodyParser, joinJson } from './json.ts'

const LIMITS = { keysMax: 10_000, elementsMax: 20_000, textCharsMax: 8 * MIB }

function separate(text: string, cuts: readonly number[] = []): CheckedJson {
  const { push, separate } = createJsonBodyParser(LIMITS)
  const places = [0, ...cuts.filter(cut => cut < text.length).toSorted((a, b) => a - b), text.length]
  for (const [index, end] of places.entries()) if (index > 0) push(text.slice(places[index - 1], end))
  return separate()
}

const longString = fc.oneof(
  fc.string({ unit: 'binary', minLength: 400, maxLength: 1200 }),
  fc.string({ unit: 'grapheme', minLength: 400, maxLength: 1200 }),
  fc.constantFrom('\\"', 'A\\/', '"', '字', '\u2028', 'Aa0+').map(unit => unit.repeat(900)),
)
const document = fc.array(fc.oneof(fc.jsonValue(), longString, fc.dictionary(fc.string(), longString)))

describe('a body that another thread checks', () => {
  test('is parsed to the same value, wherever its pieces end', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(20_000)), (value, cuts) => {
        const text = JSON.stringify(value, null, value.length % 2)
        expect(joinJson(separate(text, cuts)).value).toEqual(JSON.parse(text))
      }),
      { numRuns: 150 },
    )
  })

  test('is parsed to the same value when media follows more than a mebibyte, in pieces of any length', () => {
    const media = `data:image/png;base64,${'Aa0+'.repeat(100_000)}`
    const text = JSON.stringify({
      long: '字'.repeat(MIB),
      media,
      items: [{ media }, media.slice(0, 2000)],
      after: 1,
    })
    for (const pieceChars of [997, 65_536, text.length]) {
      const cuts = Array.from({ length: Math.floor(text.length / pieceChars) }, (_, at) => at * pieceChars)
      expect(joinJson(separate(text, cuts)).value).toEqual(JSON.parse(text))
      expect(joinJson(separate(text.replaceAll('/', '\\/'), cuts)).value).toEqual(JSON.parse(text))
    }
  })

  test('leaves few characters to the thread that joins it', () => {
    const { skeleton, narrow, wide } = separate(
      JSON.stringify({ a: 'x'.repeat(9000), b: '字'.repeat(9000), c: 'short' }),
    )
    expect([skeleton.length < 250, narrow.length, wide.length]).toEqual([true, 9000, 9000])
  })

  test('is the same as the body when it has no long strings', () => {
    const text = '{"a":[1.50,-0,1e2],"b":"\\u0041","__proto__":{"c":1}}'
    const json = separate(text)
    expect(json.skeleton).toBe(text)
    expect(joinJson(json)).toMatchObject({ value: JSON.parse(text), isLarge: false })
  })

  test('keeps numbers in the words of the client, and long keys', () => {
    const key = 'k'.repeat(3000)
    const text = `{"seed":12345678901234567890,"${key}":"${'v'.repeat(3000)}"}`
    const { value, verbatim, isLarge } = joinJson(separate(text))
    expect(isLarge).toBe(true)
    expect(value).toEqual(JSON.parse(text))
    expect(JSON.stringify(verbatim)).toBe(text)
  })

  test('may be nothing but a long string', () => {
    const text = JSON.stringify('x'.repeat(2000))
    expect(joinJson(separate(text)).value).toBe(JSON.parse(text))
  })

  test.each([
    ['an open string', `{"a":"${'x'.repeat(2000)}`, 'not valid JSON'],
    ['a line break in a long string', `{"a":"${'x'.repeat(2000)}\n"}`, 'not valid JSON'],
    ['an unknown escape in a long string', `{"a":"${'x'.repeat(2000)}\\x"}`, 'not valid JSON'],
    ['two long strings without a comma', `["${'x'.repeat(2000)}" "${'x'.repeat(2000)}"]`, 'not valid JSON'],
    ['a doubled key', `{"a":"${'x'.repeat(2000)}","b":1,"a":2}`, 'has the key "a" twice'],
    ['a doubled long key', `{"${'k'.repeat(2000)}":1,"${'k'.repeat(2000)}":2}`, 'twice'],
    ['deep nesting', '['.repeat(200), 'nested deeper'],
    ['too many elements', `[${'1,'.repeat(20_000)}1]`, 'more than 20000 elements'],
  ])('is rejected with %s', (_, text, message) => {
    expect(() => separate(text)).toThrow(message)
  })
})
