import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRequestUrl, routingPath } from './request-url.ts'

const read = ({ pathname, search, searchParams }: ReturnType<typeof parseRequestUrl>) => ({
  pathname,
  search,
  query: [...searchParams],
})
const asUrl = (url: string) => read(new URL(url))

test.each([
  'http://h/v1/chat/completions',
  'http://h:3000/v1beta/models/gemini-1.5-pro:generateContent?key=a&key=b',
  'http://h/v1/models/a%2Fb',
  'http://h/v1/../pg/chat/completions',
  'http://h/v1/./models',
  'http://h/v1//models',
  'http://h/v1/models/',
  'http://h/v1/models?',
  'http://h/v1/models#x',
  'http://h/v1\\models',
  'http://h/v1/..%2fmodels',
  'http://h/',
  'http://h',
])('parses %s as URL does', url => {
  expect(read(parseRequestUrl(url))).toEqual(asUrl(url))
})

test.each(['http://[', 'http://a:99999999', 'http://1.2.3.4.5', 'http://a%2fb'])(
  'ignores the invalid host of %s',
  host => {
    for (const path of ['/v1/models', '/v1//models?a=b', '//evil/v1'])
      expect(read(parseRequestUrl(`${host}${path}`))).toEqual(asUrl(`http://h${path}`))
  },
)

test('parses any path and query as URL does', () => {
  const pieces = fc.constantFrom(...'/v1.:~-_%?&=#\\ "<>{}|^`é'.split(''), '/..', '/.', '//', '%2e')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), path => {
      const url = `http://gateway.test:3000/${path.join('')}`
      expect(read(parseRequestUrl(url))).toEqual(asUrl(url))
    }),
    { numRuns: 3000 },
  )
})

test.each([
  ['//metrics', '/metrics'],
  ['/METRICS', '/metrics'],
  ['/%6detrics', '/metrics'],
  ['/x/%2e%2e/metrics//', '/metrics/'],
  ['/.//metrics', '/metrics'],
  ['/v1/models/a%2Fb', '/v1/models/a%2fb'],
  ['/metrics', '/metrics'],
  ['/', '/'],
])('assigns %s as %s', (path, assigned) => {
  expect(routingPath(path)).toBe(assigned)
})
