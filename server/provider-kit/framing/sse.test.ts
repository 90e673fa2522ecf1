import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { StreamEvent } from '../exchange.ts'
import { openFraming } from './open-framing.ts'

const encoder = new TextEncoder()

function eventsOf(text: string, cutEvery = Number.POSITIVE_INFINITY): readonly StreamEvent[] {
  const bytes = encoder.encode(text)
  const framer = openFraming('sse')
  const events: StreamEvent[] = []
  for (let at = 0; at < bytes.length; at += cutEvery)
    events.push(...framer.push(bytes.subarray(at, at + cutEvery)))
  return [...events, ...framer.end()]
}

const dataOf = (text: string): readonly string[] => eventsOf(text).map(({ data }) => data)

test('takes the space after the colon for syntax, and does without it', () => {
  expect(dataOf('data: one\n\ndata:two\n\ndata:  three\n\n')).toEqual(['one', 'two', ' three'])
})

test('joins several data lines of one event', () => {
  expect(dataOf('data: one\ndata: two\n\n')).toEqual(['one\ntwo'])
})

test('ends lines at LF, CRLF and a lone CR', () => {
  for (const end of ['\n', '\r\n', '\r'])
    expect(eventsOf(`event: ping${end}data: {}${end}${end}`)).toEqual([
      { name: 'ping', data: '{}', raw: `event: ping${end}data: {}${end}${end}` },
    ])
})

test('shows a comment as a sign of life without data', () => {
  expect(eventsOf(': keep-alive\n\n')).toEqual([{ name: undefined, data: '', raw: ': keep-alive\n\n' }])
})

test('skips a comment between the name and the data', () => {
  expect(eventsOf('event: result\n:HTTP_STATUS/200\ndata: {}\n\n')).toMatchObject([
    { name: 'result', data: '{}' },
  ])
})

test('keeps a name to its own event', () => {
  expect(eventsOf('event: a\ndata: 1\n\ndata: 2\n\n').map(({ name }) => name)).toEqual(['a', undefined])
})

test('gives the last event even when its blank line is missing', () => {
  expect(dataOf('data: one\n\ndata: two')).toEqual(['one', 'two'])
})

test('reads letters of several bytes across cuts', () => {
  expect(eventsOf('data: 你好，🎈 олово\n\n', 1).map(({ data }) => data)).toEqual(['你好，🎈 олово'])
})

test('law: cuts change nothing, and the raw texts are the stream', () => {
  const line = fc.constantFrom('data: 你', 'data:b', 'event: n', ': comment', '', 'data', 'id: 7')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const stream = fc.array(fc.tuple(line, lineEnd)).map(lines => lines.flat().join(''))
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 7 }), (text, cutEvery) => {
      const events = eventsOf(text, cutEvery)
      expect(events).toEqual([...eventsOf(text)])
      expect(events.map(({ raw }) => raw).join('')).toBe(text)
    }),
  )
})
