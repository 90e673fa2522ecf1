import { expect, test } from 'bun:test'
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
const BODY = { text: '这张图片里有什么？ "é"\n', image_url: { url: IMAGE }, 10: base64(1500) }

test.each([997, 65_536, 10 * MIB])('media is no text, in pieces of %d characters', pieceChars => {
  const text = JSON.stringify(BODY)
  expect(parse(text, pieceChars).value).toEqual(BODY)
  expect(parse(text.replaceAll('/', '\\/'), pieceChars).value).toEqual(BODY)
})

test.each([
  ['other characters', '字'],
  ['quotes', '\\"'],
  ['other escapes', '\\u0041'],
])('what only begins like media is text: %s', (_, unit) => {
  const text = `{"url":"${base64(5000)}${unit.repeat((4 * MIB) / unit.length)}"}`
  expect(() => parse(text)).toThrow('MiB of text')
  expect(() => parse(text, 997)).toThrow('MiB of text')
})

test('counts keys wherever the pieces end', () => {
  const before = JSON.stringify({ ...BODY, long: '字'.repeat(MIB) }).slice(0, -1)
  const text = `${before},"type":"text"}`
  for (let at = before.length; at <= text.length; at += 1) {
    const { push, parse: finish } = createJsonBodyParser(LIMITS)
    push(text.slice(0, at))
    push(text.slice(at))
    expect(finish().value).toEqual(JSON.parse(text))
  }
})
