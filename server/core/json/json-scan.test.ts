import { describe, expect, test } from 'bun:test'
import { MIB } from '../limits.ts'
import { createJsonBodyParser } from './json.ts'

const LIMITS = { keysMax: 1000, elementsMax: 2000, textCharsMax: 2 * MIB }

function parse(text: string, pieceChars = 100_000) {
  const { push, parse: finish } = createJsonBodyParser(LIMITS)
  for (let at = 0; at < text.length; at += pieceChars) push(text.slice(at, at + pieceChars))
  return finish()
}

/** Base64 in which no position is like another. */
const base64 = (chars: number): string =>
  Buffer.from(Array.from({ length: Math.ceil((chars / 4) * 3) }, (_, at) => (at * 7919) >>> (at % 5)))
    .toString('base64')
    .slice(0, chars)

const IMAGE = `data:image/png;base64,${base64(3 * MIB)}`
const BODY = {
  model: 'gpt',
  messages: [
    { role: 'user', content: [{ type: 'text', text: '这张图片里有什么？ "é"\n' }] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: IMAGE } }] },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: base64(10_000) } }, { b: base64(1500) }],
    },
  ],
  10: IMAGE,
}

describe('a body with large media', () => {
  test('is parsed to the same value, in pieces of any length', () => {
    const text = JSON.stringify(BODY)
    for (const pieceChars of [997, 65_536, text.length]) {
      const { value, isLarge } = parse(text, pieceChars)
      expect(isLarge).toBe(true)
      expect(JSON.stringify(value)).toBe(text)
    }
  })

  test('is parsed to the same value when its slashes are escaped', () => {
    const text = JSON.stringify(BODY).replaceAll('/', '\\/')
    for (const pieceChars of [997, 65_536]) expect(parse(text, pieceChars).value).toEqual(BODY)
  })

  test('may arrive in pieces that end anywhere in a key', () => {
    const before = JSON.stringify({ ...BODY, long: '字'.repeat(MIB) }).slice(0, -1)
    const text = `${before},"type":"text"}`
    for (let at = before.length; at <= text.length; at += 1) {
      const { push, parse: finish } = createJsonBodyParser(LIMITS)
      push(text.slice(0, at))
      push(text.slice(at))
      expect(finish().value).toEqual(JSON.parse(text))
    }
  })

  test('counts only its text, and all that only begins like media', () => {
    const pretended = `{"url":"${base64(5000)}${'字'.repeat(4 * MIB)}"}`
    expect(() => parse(pretended)).toThrow('MiB of text')
    expect(() => parse(`{"url":"${base64(5000)}${'"\\"'.slice(1).repeat(4 * MIB)}"}`)).toThrow('MiB of text')
  })

  test('is rejected when media is a key, or a key is doubled', () => {
    expect(() => parse(`{"a":"${IMAGE}","${IMAGE}":1}`)).toThrow('a key in the body is too long')
    expect(() => parse(`{"a":"${IMAGE}","b":1,"b":2}`)).toThrow('has the key "b" twice')
  })
})

test('a body below a mebibyte is parsed as it is', () => {
  const text = JSON.stringify({ url: base64(500_000) })
  expect(parse(text)).toEqual({ value: JSON.parse(text), isLarge: false })
})
