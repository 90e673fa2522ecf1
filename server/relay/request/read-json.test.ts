import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MIB } from '../../core/limits.ts'
import type { BodySize } from '../types.ts'
import { readJson } from './read-json.ts'

const CALLER = { userId: 1 }
const SETTINGS = { current: () => ({ RequestTextLimit: 8 }) }

/** Reads a body that arrives in pieces. `onPiece` is called before each of them. */
const read = (
  pieces: Iterable<string>,
  onPiece: () => Promise<void> = async () => undefined,
  size: BodySize = 'any',
) =>
  readJson(
    {
      async readText(_, push) {
        for (const piece of pieces) {
          await onPiece()
          push(piece)
        }
      },
    },
    CALLER,
    SETTINGS,
    size,
  )

function cut(text: string, places: readonly number[]): string[] {
  const borders = [0, ...places.map(place => place % text.length).toSorted((a, b) => a - b), text.length]
  return borders.slice(1).map((end, index) => text.slice(borders[index], end))
}

const FILLER = 'Aa0+'.repeat(MIB / 2)

describe('a large body', () => {
  test('is read as JSON.parse reads it, wherever its pieces end', async () => {
    const long = fc.string({ unit: 'grapheme', minLength: 300, maxLength: 900 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue(), long)),
        fc.array(fc.nat()),
        async (values, places) => {
          const text = JSON.stringify({ before: values, media: `data:image/png;base64,${FILLER}`, values })
          const body = await read(cut(text, places))
          expect(body.value).toEqual(JSON.parse(text))
          expect([body.isLarge, body.chars]).toEqual([true, text.length])
        },
      ),
      { numRuns: 30 },
    )
  })

  test('does not mix with others that are read at the same time', async () => {
    const texts = Array.from({ length: 5 }, (_, at) => JSON.stringify({ at, text: `${at}`.repeat(2 * MIB) }))
    const bodies = await Promise.all(
      texts.map(text => read(cut(text, [1, 1000, 500_000]), () => Bun.sleep(1))),
    )
    expect(bodies.map(({ value }) => JSON.stringify(value))).toEqual(texts)
  })

  test('is rejected before it has arrived when it has too much text', async () => {
    let pieces = 0
    const endless = function* () {
      yield '{"text":"'
      for (; pieces < 1000; pieces += 1) yield 'some words '.repeat(50_000)
    }
    await expect(read(endless(), () => Bun.sleep(1))).rejects.toMatchObject({ code: 'body_too_large' })
    expect(pieces).toBeLessThan(200)
  })

  test.each([
    ['invalid_json', `{"a":"${FILLER}`, 'not valid JSON'],
    ['invalid_json', ' '.repeat(2 * MIB), 'not valid JSON'],
    ['invalid_request', `{"a":"${FILLER}","b":1,"b":2}`, 'the key "b" twice'],
    ['invalid_request', `{"a":"${FILLER}","b":${'['.repeat(500)}`, 'nested deeper'],
  ])('is rejected as %s', async (code, text, message) => {
    await expect(read([text])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      messageZh: expect.stringContaining('请求体'),
    })
  })

  test('leaves nothing behind when its client disconnects', async () => {
    const broken = read([`{"a":"${FILLER}`], async () => undefined)
    await expect(broken).rejects.toMatchObject({ code: 'invalid_json' })
    let isBroken = false
    const gone = read([`{"a":"${FILLER}`, 'more'], async () => {
      if (isBroken) throw new Error('the client disconnected')
      isBroken = true
    })
    await expect(gone).rejects.toThrow('the client disconnected')
    expect((await read([JSON.stringify({ FILLER })])).value).toEqual({ FILLER })
  })
})

describe('of what is free', () => {
  const list = (count: number, item: string) => `{"a":[${Array(count).fill(item).join()}]}`
  test.each([
    ['keys', `{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":1`).join()}}`, 400],
    ['elements', list(20_001, '1'), 400],
    ['long numbers', list(2_001, '0.1234567890123456'), 400],
    ['text', JSON.stringify({ a: 'word '.repeat(MIB / 2) }), 413],
  ])('rejects a body with too many or too much %s', async (_, text, status) => {
    const pieces = cut(text, [1, text.length / 2, text.length - 1])
    expect(await read(pieces, undefined, 'small').catch(error => error)).toMatchObject({ status })
    expect((await read(pieces)).value).toEqual(JSON.parse(text))
  })
})

test('reads nothing more of a large body whose client has left', async () => {
  const piece = 'x'.repeat(MIB / 4)
  const done: string[] = []
  const body = (pieces: number) => ['{"a":"', ...Array<string>(pieces).fill(piece), '"}']
  const left = function* () {
    yield* body(40).slice(0, -1)
    throw new Error('the client has left')
  }
  await expect(read(left())).rejects.toThrow('the client has left')
  const other = { userId: 2 }
  const readText = async (_: unknown, push: (text: string) => void) => body(12).forEach(push)
  const longer = readJson({ readText }, other, SETTINGS).then(() => done.push('another user'))
  const shorter = read(body(5)).then(() => done.push('the same user'))
  await Promise.all([longer, shorter])
  expect(done).toEqual(['the same user', 'another user'])
})
