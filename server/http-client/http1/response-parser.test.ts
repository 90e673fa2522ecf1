import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ResponseParser, rangeBytes, rangeLength, rangeText } from './response-parser.ts'

interface ParsedResponse {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
  readonly isComplete: boolean
  readonly isReusable: boolean
}

/** Parses a response from chunks of `chunkBytes`; `closes`: the connection closes after the last. */
function parse(text: string, chunkBytes = text.length, closes = false): ParsedResponse {
  const parsed = { status: 0, contentType: null as string | null, body: '', isComplete: false }
  const parser = new ResponseParser({
    onHead({ status, headers }) {
      parsed.status = status
      parsed.contentType = headers.get('content-type')
    },
    onData({ bytes, start, end }) {
      parsed.body += bytes.toString('latin1', start, end)
    },
    onEnd() {
      expect(parsed.isComplete).toBe(false)
      parsed.isComplete = true
    },
  })
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += chunkBytes) parser.push(bytes.subarray(at, at + chunkBytes))
  if (closes) parser.close()
  return { ...parsed, isReusable: parser.isReusable() }
}

const lines = (...all: string[]) => all.join('\r\n')
const OK = 'HTTP/1.1 200 OK'
const TEXT = 'content-type: text/plain'

interface ParserCase {
  readonly text: string
  readonly body: string
  readonly status?: number
  readonly isReusable?: boolean
  readonly closes?: boolean
}

const responses: Readonly<Record<string, ParserCase>> = {
  'a body of known length': { text: lines(OK, TEXT, 'Content-Length: 5', '', 'hello'), body: 'hello' },
  'no body': { text: lines(OK, TEXT, 'content-length: 0', '', ''), body: '' },
  'a status without a body': { text: lines('HTTP/1.1 204 No Content', TEXT, '', ''), body: '', status: 204 },
  'a status without a body, with a length of zero': {
    text: lines('HTTP/1.1 205 Reset Content', TEXT, 'content-length: 0', '', ''),
    body: '',
    status: 205,
  },
  'a status without a body, with a length': {
    text: lines('HTTP/1.1 304 Not Modified', TEXT, 'content-length: 5', '', ''),
    body: '',
    status: 304,
    isReusable: false,
  },
  'a status without a body, with chunks': {
    text: lines('HTTP/1.1 204 No Content', TEXT, 'transfer-encoding: chunked', '', ''),
    body: '',
    status: 204,
    isReusable: false,
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
  'chunks despite a content length': {
    text: lines(OK, TEXT, 'content-length: 99', 'transfer-encoding: chunked', '', '1', 'x', '0', '', ''),
    body: 'x',
  },
  'a body that ends with the connection': {
    text: lines(OK, TEXT, '', 'all of it'),
    body: 'all of it',
    closes: true,
    isReusable: false,
  },
  'informational responses before the final one': {
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
  'the last response of a connection': {
    text: lines(OK, TEXT, 'Connection: Close', 'content-length: 2', '', 'ok'),
    body: 'ok',
    isReusable: false,
  },
  'HTTP/1.0': {
    text: lines('HTTP/1.0 200 OK', TEXT, 'content-length: 2', '', 'ok'),
    body: 'ok',
    isReusable: false,
  },
  'HTTP/1.0 with keep-alive': {
    text: lines('HTTP/1.0 200 OK', TEXT, 'connection: keep-alive', 'content-length: 2', '', 'ok'),
    body: 'ok',
  },
  'a missing reason phrase and a repeated content length': {
    text: lines('HTTP/1.1 200', TEXT, 'content-length: 2', 'content-length: 2', '', 'ok'),
    body: 'ok',
  },
  'bytes after the end of the response': {
    text: lines(OK, TEXT, 'content-length: 2', '', 'okHTTP/1.1 200 OK'),
    body: 'ok',
    isReusable: false,
  },
}

test.each(Object.entries(responses))('parses %s, split at every byte', (_, parserCase) => {
  const { text, body, status = 200, isReusable = true, closes = false } = parserCase
  const expected = { status, contentType: 'text/plain', body, isComplete: true }
  expect(parse(text, text.length, closes)).toEqual({ ...expected, isReusable })
  for (let chunkBytes = 1; chunkBytes < text.length; chunkBytes += 1)
    expect(parse(text, chunkBytes, closes)).toMatchObject(expected)
})

test('reports a truncated response as incomplete', () => {
  const { chunks } = responses
  const text = chunks?.text ?? ''
  for (let end = 0; end < text.length; end += 1)
    expect(parse(text.slice(0, end), 7, true)).toMatchObject({ isComplete: false, isReusable: false })
})

test('unfolds header lines and joins repeated headers', () => {
  const headers: (string | null)[] = []
  const parser = new ResponseParser({
    onHead: head => headers.push(...['folded', 'many', 'missing'].map(name => head.headers.get(name))),
    onData: () => undefined,
    onEnd: () => undefined,
  })
  parser.push(
    Buffer.from(
      lines(OK, 'Folded: one', '  and more', 'Many: 1', 'X: 0', 'many:2', 'content-length: 0', '', ''),
    ),
  )
  expect(headers).toEqual(['one and more', '1, 2', null])
})

test.each(['a\rset-cookie: b=1', 'a\0b', 'caf\u00e9', 'a\x7f', 'a\x1b[2J'])(
  'hides a header whose value %j could not be passed on',
  value => {
    const values: (string | null)[] = []
    const parser = new ResponseParser({
      onHead: ({ headers }) => values.push(...['bad', 'good', 'set-cookie'].map(name => headers.get(name))),
      onData: () => undefined,
      onEnd: () => undefined,
    })
    parser.push(Buffer.from(lines(OK, `Bad: ${value}`, 'Good: 1', 'content-length: 0', '', ''), 'latin1'))
    expect(values).toEqual([null, '1', null])
  },
)

const MALFORMED: Readonly<Record<string, string>> = {
  'another protocol': lines('SSH-2.0-OpenSSH_9.2', '', ''),
  'another version': lines('HTTP/2.0 200 OK', '', ''),
  'a status with letters': lines('HTTP/1.1 2OO OK', '', ''),
  'a switch of protocols': lines('HTTP/1.1 101 Switching Protocols', 'upgrade: h2c', '', ''),
  'a content length with letters': lines(OK, 'content-length: many', '', ''),
  'a negative content length': lines(OK, 'content-length: -1', '', ''),
  'two different content lengths': lines(OK, 'content-length: 1', 'content-length: 2', '', ''),
  'a content length with a control character': lines(OK, 'content-length: 1\rx', '', ''),
  'a transfer coding with a control character': lines(OK, 'transfer-encoding: chunked\0', '', ''),
  'an unknown transfer coding': lines(OK, 'transfer-encoding: gzip, chunked', '', ''),
  'a chunk without a size': lines(OK, 'transfer-encoding: chunked', '', 'x', ''),
  'a chunk size with too many digits': lines(OK, 'transfer-encoding: chunked', '', 'f'.repeat(13), ''),
  'a chunk longer than its size': lines(OK, 'transfer-encoding: chunked', '', '1', 'xy', ''),
  'an endless head': `${OK}\r\nx: ${'y'.repeat(70_000)}`,
  'endless informational responses': 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3_000),
  'endless chunks of a few bytes': `${lines(OK, 'transfer-encoding: chunked', '')}\r\n${'1\r\nx\r\n'.repeat(110_000)}`,
  'an endless chunk header': lines(OK, 'transfer-encoding: chunked', '', `1;${'y'.repeat(5000)}`),
  'endless extensions of chunks': `${lines(OK, 'transfer-encoding: chunked', '')}\r\n${`1;${'y'.repeat(3_000)}\r\nx\r\n`.repeat(400)}`,
  'an endless trailer': lines(OK, 'transfer-encoding: chunked', '', '0', `${'y: z\r\n'.repeat(20_000)}`),
}

test.each(Object.entries(MALFORMED))('rejects %s', (_, text) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'EPROTO' }))
  expect(() => parse(text, 3)).toThrow(expect.objectContaining({ code: 'EPROTO' }))
})

const byteRange = (text: string) => {
  const bytes = Buffer.from(`head${text}rest`)
  return { bytes, start: 4, end: bytes.length - 4 }
}

test('a byte range exposes only its own bytes and text', () => {
  const range = byteRange('你好 👋')
  expect(rangeText(range)).toBe('你好 👋')
  expect(new TextDecoder().decode(rangeBytes(range))).toBe('你好 👋')
  expect(rangeLength(range)).toBe(11)
})

test('strips a byte order mark from the text of a byte range', () => {
  expect(rangeText(byteRange('\uFEFF{}'))).toBe('{}')
})

test('decodes any byte range as TextDecoder does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      const range = { bytes: Buffer.from(bytes), start: 0, end: bytes.length }
      expect(rangeText(range)).toBe(new TextDecoder().decode(bytes))
    }),
    { numRuns: 5000 },
  )
})
