import { expect, test } from 'bun:test'
import { ResponseParser, rangeLength, rangeText, rangeBytes } from './response-parser.ts'
import fc from 'fast-check'

interface Told {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
  readonly isWhole: boolean
  readonly isReusable: boolean
}

/** Reads an answer from pieces of so many bytes; `closes` tells that the connection closed after the last. */
function read(text: string, pieceBytes = text.length, closes = false): Told {
  const told = { status: 0, contentType: null as string | null, body: '', isWhole: false }
  const reader = new ResponseParser({
    head({ status, headers }) {
      told.status = status
      told.contentType = headers.get('content-type')
    },
    onData({ bytes, start, end }) {
      told.body += bytes.toString('latin1', start, end)
    },
    onEnd() {
      expect(told.isWhole).toBe(false)
      told.isWhole = true
    },
  })
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes))
  if (closes) reader.close()
  return { ...told, isReusable: reader.isReusable() }
}

const lines = (...all: string[]) => all.join('\r\n')
const OK = 'HTTP/1.1 200 OK'
const TEXT = 'content-type: text/plain'

interface Case {
  readonly text: string
  readonly body: string
  readonly status?: number
  readonly isReusable?: boolean
  readonly closes?: boolean
}

const answers: Readonly<Record<string, Case>> = {
  'a known length': { text: lines(OK, TEXT, 'Content-Length: 5', '', 'hello'), body: 'hello' },
  'no body': { text: lines(OK, TEXT, 'content-length: 0', '', ''), body: '' },
  'a status that has no body': {
    text: lines('HTTP/1.1 204 No Content', TEXT, 'content-length: 5', '', ''),
    body: '',
    status: 204,
  },
  chunks: {
    text: lines(
      OK,
      TEXT,
      'transfer-encoding: chunked',
      '',
      '5',
      'hello',
      'A;name=value',
      ', universe',
      '0',
      '',
      '',
    ),
    body: 'hello, universe',
  },
  'chunks and a trailer': {
    text: lines(
      OK,
      TEXT,
      'Transfer-Encoding: Chunked',
      '',
      '1 ',
      'x',
      '0',
      'checksum: 1',
      'other: 2',
      '',
      '',
    ),
    body: 'x',
  },
  'chunks although a length was said': {
    text: lines(OK, TEXT, 'content-length: 99', 'transfer-encoding: chunked', '', '1', 'x', '0', '', ''),
    body: 'x',
  },
  'until the connection closes': {
    text: lines(OK, TEXT, '', 'all of it'),
    body: 'all of it',
    closes: true,
    isReusable: false,
  },
  'interim answers before the final one': {
    text: lines(
      'HTTP/1.1 100 Continue',
      '',
      'HTTP/1.1 103 Early Hints',
      'link: </a>',
      '',
      OK,
      TEXT,
      'content-length: 2',
      '',
      'ok',
    ),
    body: 'ok',
  },
  'a last answer of a connection': {
    text: lines(OK, TEXT, 'Connection: Close', 'content-length: 2', '', 'ok'),
    body: 'ok',
    isReusable: false,
  },
  'an older version': {
    text: lines('HTTP/1.0 200 OK', TEXT, 'content-length: 2', '', 'ok'),
    body: 'ok',
    isReusable: false,
  },
  'an older version that keeps alive': {
    text: lines('HTTP/1.0 200 OK', TEXT, 'connection: keep-alive', 'content-length: 2', '', 'ok'),
    body: 'ok',
  },
  'no reason, and the same length twice': {
    text: lines('HTTP/1.1 200', TEXT, 'content-length: 2', 'content-length: 2', '', 'ok'),
    body: 'ok',
  },
  'more than was asked for': {
    text: lines(OK, TEXT, 'content-length: 2', '', 'okHTTP/1.1 200 OK'),
    body: 'ok',
    isReusable: false,
  },
}

test.each(Object.entries(answers))('reads %s, however it is cut', (_, wanted) => {
  const { text, body, status = 200, isReusable = true, closes = false } = wanted
  const told = { status, contentType: 'text/plain', body, isWhole: true }
  expect(read(text, text.length, closes)).toEqual({ ...told, isReusable })
  for (let pieceBytes = 1; pieceBytes < text.length; pieceBytes += 1)
    expect(read(text, pieceBytes, closes)).toMatchObject(told)
})

test('an answer that broke off is not whole', () => {
  const { chunks } = answers
  const text = chunks?.text ?? ''
  for (let end = 0; end < text.length; end += 1)
    expect(read(text.slice(0, end), 7, true)).toMatchObject({ isWhole: false, isReusable: false })
})

test('a folded line is one header, and several of one name are one', () => {
  const headers: (string | null)[] = []
  const reader = new ResponseParser({
    head: head => headers.push(...['folded', 'many', 'missing'].map(name => head.headers.get(name))),
    onData: () => undefined,
    onEnd: () => undefined,
  })
  reader.push(
    Buffer.from(
      lines(OK, 'Folded: one', '  and more', 'Many: 1', 'X: 0', 'many:2', 'content-length: 0', '', ''),
    ),
  )
  expect(headers).toEqual(['one and more', '1, 2', null])
})

const MALFORMED: Readonly<Record<string, string>> = {
  'another protocol': lines('SSH-2.0-OpenSSH_9.2', '', ''),
  'another version': lines('HTTP/2.0 200 OK', '', ''),
  'a status of letters': lines('HTTP/1.1 2OO OK', '', ''),
  'a change of protocol': lines('HTTP/1.1 101 Switching Protocols', 'upgrade: h2c', '', ''),
  'a length of letters': lines(OK, 'content-length: many', '', ''),
  'a length below nothing': lines(OK, 'content-length: -1', '', ''),
  'two lengths': lines(OK, 'content-length: 1', 'content-length: 2', '', ''),
  'an unknown coding': lines(OK, 'transfer-encoding: gzip, chunked', '', ''),
  'a chunk without a length': lines(OK, 'transfer-encoding: chunked', '', 'x', ''),
  'a chunk of a length that is too long': lines(OK, 'transfer-encoding: chunked', '', 'f'.repeat(13), ''),
  'a chunk longer than it said': lines(OK, 'transfer-encoding: chunked', '', '1', 'xy', ''),
  'a head without end': `${OK}\r\nx: ${'y'.repeat(70_000)}`,
  'a chunk line without end': lines(OK, 'transfer-encoding: chunked', '', `1;${'y'.repeat(5000)}`),
  'a trailer without end': lines(OK, 'transfer-encoding: chunked', '', '0', `${'y: z\r\n'.repeat(20_000)}`),
}

test.each(Object.entries(MALFORMED))('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'EPROTO' }))
  expect(() => read(text, 3)).toThrow(expect.objectContaining({ code: 'EPROTO' }))
})

const stretchOf = (text: string) => {
  const bytes = Buffer.from(`head${text}rest`)
  return { bytes, start: 4, end: bytes.length - 4 }
}

test('its view and its text are of its own bytes alone', () => {
  const stretch = stretchOf('你好 👋')
  expect(rangeText(stretch)).toBe('你好 👋')
  expect(new TextDecoder().decode(rangeBytes(stretch))).toBe('你好 👋')
  expect(rangeLength(stretch)).toBe(11)
})

test('a mark of the byte order is no part of the text', () => {
  expect(rangeText(stretchOf('\uFEFF{}'))).toBe('{}')
})

test('any bytes read as a decoder reads them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      const stretch = { bytes: Buffer.from(bytes), start: 0, end: bytes.length }
      expect(rangeText(stretch)).toBe(new TextDecoder().decode(bytes))
    }),
    { numRuns: 5000 },
  )
})
