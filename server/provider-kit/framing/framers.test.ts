import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import type { StreamEvent } from '../contract/operation-adapter.ts'
import { createAwsEventStreamFramer, createFramer, createLineSplitter, stripLineEnd } from './framers.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('returns lines once they are complete', () => {
  const lines = createLineSplitter()
  expect(lines.push(bytes('one\ntw'))).toEqual(['one\n'])
  expect(lines.push(bytes('o'))).toEqual([])
  expect(lines.push(bytes('\nthree'))).toEqual(['two\n'])
  expect(lines.end()).toEqual(['three'])
})

test('keeps CR and LF together across a chunk boundary', () => {
  const lines = createLineSplitter()
  expect(lines.push(bytes('one\r'))).toEqual([])
  expect(lines.push(bytes('\ntwo\r'))).toEqual(['one\r\n'])
  expect(lines.push(bytes('three'))).toEqual(['two\r'])
})

test('rejects a line beyond the limit instead of buffering it', () => {
  const lines = createLineSplitter(8)
  lines.push(bytes('12345678'))
  expect(() => lines.push(bytes('9'))).toThrow(GatewayError)
})

test('accepts any number of lines within the limit', () => {
  const lines = createLineSplitter(8)
  for (let count = 0; count < 100; count++) expect(lines.push(bytes('1234567\n'))).toHaveLength(1)
})

test('rejects an event of endless lines instead of buffering it', () => {
  const framer = createFramer('sse')
  const lines = bytes('data: x\n'.repeat(1_000))
  expect(() => {
    for (let count = 0; count < 11; count += 1) framer.push(lines)
  }).toThrow(expect.objectContaining({ code: 'upstream_bad_answer' }))
})

test('recognizes every line end', () => {
  expect(['a\n', 'a\r\n', 'a\r', 'a'].map(stripLineEnd)).toEqual(['a', 'a', 'a', 'a'])
})

const encoder = new TextEncoder()

function eventsOf(text: string, cutEvery = Number.POSITIVE_INFINITY): readonly StreamEvent[] {
  const bytes = encoder.encode(text)
  const framer = createFramer('sse')
  const events: StreamEvent[] = []
  for (let at = 0; at < bytes.length; at += cutEvery)
    events.push(...framer.push(bytes.subarray(at, at + cutEvery)))
  return [...events, ...framer.end()]
}

const dataOf = (text: string): readonly string[] => eventsOf(text).map(({ data }) => data)

test('treats one space after the colon as syntax and accepts its absence', () => {
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

test('returns a comment as an event without data', () => {
  expect(eventsOf(': keep-alive\n\n')).toEqual([{ name: undefined, data: '', raw: ': keep-alive\n\n' }])
})

test('skips a comment between the name and the data', () => {
  expect(eventsOf('event: result\n:HTTP_STATUS/200\ndata: {}\n\n')).toMatchObject([
    { name: 'result', data: '{}' },
  ])
})

test('applies a name to its own event only', () => {
  expect(eventsOf('event: a\ndata: 1\n\ndata: 2\n\n').map(({ name }) => name)).toEqual(['a', undefined])
})

test('returns the last event when its blank line is missing', () => {
  expect(dataOf('data: one\n\ndata: two')).toEqual(['one', 'two'])
})

test('decodes multi-byte characters across chunk boundaries', () => {
  expect(eventsOf('data: 你好，🎈 олово\n\n', 1).map(({ data }) => data)).toEqual(['你好，🎈 олово'])
})

test('returns the same events for any chunk boundaries, and their raw texts add up to the stream', () => {
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

test('returns one event per line, including a last line without a line end', () => {
  const framer = createFramer('ndjson')
  const first = framer.push(new TextEncoder().encode('{"a":1}\r\n{"b":'))
  const second = framer.push(new TextEncoder().encode('2}'))
  expect([...first, ...second, ...framer.end()]).toEqual([
    { data: '{"a":1}', raw: '{"a":1}\r\n' },
    { data: '{"b":2}', raw: '{"b":2}' },
  ])
})

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(value.length)
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7]),
    size,
    Buffer.from(value),
  ])
}

function message(headers: Buffer, payload: string): Buffer {
  const bytes = Buffer.alloc(16 + headers.length + Buffer.byteLength(payload))
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(headers.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  headers.copy(bytes, 12)
  bytes.write(payload, 12 + headers.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4)
  return bytes
}

const chunk = message(header(':event-type', 'chunk'), '{"text":"grüße"}')
const exception = message(header(':exception-type', 'throttlingException'), '{}')

test('reads messages and exceptions across any chunk boundaries', () => {
  const framer = createAwsEventStreamFramer()
  const events = [...Buffer.concat([chunk, exception])].flatMap(byte => framer.push(Uint8Array.of(byte)))
  expect([...events, ...framer.end()]).toEqual([
    { name: 'chunk', data: '{"text":"grüße"}', raw: '' },
    { name: 'throttlingException', data: '{}', raw: '' },
  ])
})

test('reads a large message in small pieces without copying its beginning for each', () => {
  const large = message(header(':event-type', 'chunk'), 'x'.repeat(12 * MIB))
  const framer = createAwsEventStreamFramer()
  const startedMs = performance.now()
  const events: StreamEvent[] = []
  for (let at = 0; at < large.length; at += 512) events.push(...framer.push(large.subarray(at, at + 512)))
  expect(events.map(({ data }) => data.length)).toEqual([12 * MIB])
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})

test('rejects a stream with any single byte changed', () => {
  for (let at = 0; at < chunk.length; at++) {
    const changed = Buffer.from(chunk)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => createAwsEventStreamFramer().push(changed)).toThrow('the upstream')
  }
})

test('rejects a stream that ends inside a message', () => {
  const framer = createAwsEventStreamFramer()
  expect(framer.push(chunk.subarray(0, -1))).toEqual([])
  expect(() => framer.end()).toThrow('ends inside a message')
})
