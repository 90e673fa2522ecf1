import { expect, test } from 'bun:test'
import { type HttpRequest, serializeRequest, parseTarget } from './write-request.ts'

const written = (request: Partial<HttpRequest>) => {
  const whole = { method: 'POST', url: 'http://vendor.test/v1', headers: {}, body: '{}', ...request } as const
  return serializeRequest(parseTarget(whole.url), whole)
}

test('says what was given, and what every request says', () => {
  const { head, body, size } = written({
    url: 'https://vendor.test:8443/v1/chat%20s?a=1#b',
    headers: { Authorization: 'Bearer key', 'content-type': 'application/json' },
    body: '"ü"',
  })
  expect(head.split('\r\n')).toEqual([
    'POST /v1/chat%20s?a=1 HTTP/1.1',
    'accept-encoding: identity',
    'Authorization: Bearer key',
    'content-type: application/json',
    'host: vendor.test:8443',
    'user-agent: Tollgate',
    'accept: */*',
    'content-length: 4',
    '',
    '',
  ])
  expect({ body, size }).toEqual({ body: '"ü"', size: head.length + 4 })
})

test('leaves to the giver what it may decide, and not what the connection decides', () => {
  const { head } = written({
    headers: {
      Host: 'signed.test',
      'User-Agent': 'Mine',
      ACCEPT: 'a/b',
      'Content-Length': '9',
      connection: 'x',
    },
  })
  expect(head).toContain('Host: signed.test\r\nUser-Agent: Mine\r\nACCEPT: a/b\r\ncontent-length: 2\r\n')
  expect(head).not.toMatch(/vendor|Tollgate|\*\/\*|9|connection/)
})

test('a question without a body has no length', () => {
  const { head, body } = written({ method: 'GET', body: undefined })
  expect(head).toStartWith('GET /v1 HTTP/1.1\r\n')
  expect(head).not.toContain('content-length')
  expect(body).toBe('')
})

test('a name and password in the address are an authorization, unless one is given', () => {
  const url = 'http://us%40er:pass@vendor.test/v1'
  expect(written({ url }).head).toContain(`authorization: Basic ${btoa('us@er:pass')}\r\n`)
  expect(written({ url, headers: { Authorization: 'Bearer key' } }).head).not.toContain('Basic')
})

test.each([
  ['a line break', { key: 'a\r\nx: y' }],
  ['a line feed', { key: 'a\nx: y' }],
  ['the character NUL', { key: 'a\0' }],
  ['what is no single byte', { key: 'schlüssel' }],
  ['a name with a colon', { 'key:x': 'y' }],
  ['a name with a line break', { 'key\r\nx': 'y' }],
  ['no name', { '': 'y' }],
])('refuses a header that holds %s', (_, headers) => {
  expect(() => written({ headers })).toThrow(expect.objectContaining({ code: 'EINVAL' }))
})
