import { expect, test } from 'bun:test'
import { type HttpRequest, parseTarget, serializeRequest } from './write-request.ts'

const serialize = (overrides: Partial<HttpRequest>) => {
  const request = {
    method: 'POST',
    url: 'http://provider.test/v1',
    headers: {},
    body: '{}',
    ...overrides,
  } as const
  return serializeRequest(parseTarget(request.url), request)
}

test('serializes the given headers and adds the default ones', () => {
  const { head, body, size } = serialize({
    url: 'https://provider.test:8443/v1/chat%20s?a=1#b',
    headers: { Authorization: 'Bearer key', 'content-type': 'application/json' },
    body: '"ü"',
  })
  expect(head.split('\r\n')).toEqual([
    'POST /v1/chat%20s?a=1 HTTP/1.1',
    'accept-encoding: identity',
    'Authorization: Bearer key',
    'content-type: application/json',
    'host: provider.test:8443',
    'user-agent: Tollgate',
    'accept: */*',
    'content-length: 4',
    '',
    '',
  ])
  expect({ body, size }).toEqual({ body: '"ü"', size: head.length + 4 })
})

test('lets the caller override default headers but not connection headers', () => {
  const { head } = serialize({
    headers: {
      Host: 'signed.test',
      'User-Agent': 'Mine',
      ACCEPT: 'a/b',
      'Content-Length': '9',
      connection: 'x',
    },
  })
  expect(head).toContain('Host: signed.test\r\nUser-Agent: Mine\r\nACCEPT: a/b\r\ncontent-length: 2\r\n')
  expect(head).not.toMatch(/provider|Tollgate|\*\/\*|9|connection/)
})

test('omits the content length of a GET request', () => {
  const { head, body } = serialize({ method: 'GET', body: undefined })
  expect(head).toStartWith('GET /v1 HTTP/1.1\r\n')
  expect(head).not.toContain('content-length')
  expect(body).toBe('')
})

test('turns credentials in the URL into a basic authorization unless one is given', () => {
  const url = 'http://us%40er:pass@provider.test/v1'
  expect(serialize({ url }).head).toContain(`authorization: Basic ${btoa('us@er:pass')}\r\n`)
  expect(serialize({ url, headers: { Authorization: 'Bearer key' } }).head).not.toContain('Basic')
})

test.each([
  ['a line break', { key: 'a\r\nx: y' }],
  ['a line feed', { key: 'a\nx: y' }],
  ['a NUL character', { key: 'a\0' }],
  ['a non-ASCII character', { key: 'schlüssel' }],
  ['a colon in its name', { 'key:x': 'y' }],
  ['a line break in its name', { 'key\r\nx': 'y' }],
  ['an empty name', { '': 'y' }],
])('rejects a header with %s', (_, headers) => {
  expect(() => serialize({ headers })).toThrow(expect.objectContaining({ code: 'EINVAL' }))
})
