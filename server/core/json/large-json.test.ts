import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createJsonBodyParser } from './json.ts'
import { LargeJson } from './large-json.ts'

const encode = async (value: unknown): Promise<string> =>
  Buffer.concat(await new LargeJson(value).encode()).toString()

test('is encoded as JSON.stringify writes it', async () => {
  const long = fc.string({ unit: 'binary' }).map(text => text + 'Aa0+'.repeat(60_000))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.jsonValue(), long)), async value => {
      expect(await encode(value)).toBe(JSON.stringify(value))
      expect(Buffer.from(new LargeJson(value).toBytes()).toString()).toBe(JSON.stringify(value))
    }),
    { numRuns: 40 },
  )
})

test('divides no surrogate pair, and escapes a lone surrogate', async () => {
  for (const text of ['😀'.repeat(200_000), `x${'😀'.repeat(200_000)}`, '\ud83d'.repeat(300_000)])
    expect(await encode({ text })).toBe(JSON.stringify({ text }))
})

test('keeps empty values, leaves out undefined ones and writes numbers in the words of the client', async () => {
  const value = { list: [], object: {}, nothing: null, left: undefined, items: [undefined, false] }
  expect(await encode(value)).toBe(JSON.stringify(value))
  const text = '{"seed":12345678901234567890,"top_p":0.10,"stop":["a"]}'
  const { push, parse } = createJsonBodyParser({ keysMax: 10, elementsMax: 20, textCharsMax: 100 })
  push(text)
  expect(await encode(parse().verbatim)).toBe(text)
})

test('lets other work run while it is encoded', async () => {
  let turns = 0
  let isOver = false
  const countTurns = () => {
    turns += 1
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  await encode(['a'.repeat(4_000_000), ...Array.from({ length: 4_000 }, () => ({ text: 'b'.repeat(1_000) }))])
  isOver = true
  expect(turns).toBeGreaterThan(20)
})
