import { expect, test } from 'bun:test'
import {
  createFailureReader,
  maskSecrets,
  readAdapterFailure,
  readEmbeddedFailure,
  readFailure,
  readRetryAfter,
} from './failures.ts'

const read = (body: unknown, status = 400) =>
  readFailure(status, typeof body === 'string' ? body : JSON.stringify(body), new Headers())

test.each([
  [{ error: { message: 'said' } }],
  [{ error: 'said' }],
  [{ message: 'said' }],
  [{ message: { detail: [{ msg: 'said' }] } }],
  [{ detail: 'said' }],
  [{ detail: [{ msg: 'said' }] }],
  [{ errors: [{ message: 'said' }] }],
  [{ msg: 'said' }],
  [{ err: 'said' }],
  [{ error_msg: 'said' }],
  [{ error: '', error_description: 'said' }],
  [{ header: { message: 'said' } }],
  [{ response: { error: { message: 'said' } } }],
  [[{ error: { message: 'said' } }]],
  ['"said"'],
])('reads the message in %j', body => {
  expect(read(body).message).toBe('said')
})

test.each(['<html><body>Bad gateway</body></html>', '', 'plain words'])(
  'hides a body that is not JSON: %j',
  body => {
    expect(read(body, 502)).toMatchObject({
      status: 502,
      message: 'bad response status code 502',
      type: 'upstream_error',
      code: 'bad_response_status_code',
      param: '502',
    })
  },
)

test('keeps the type, code and param of an error object, and a numeric code', () => {
  const error = { message: 'no', type: 'invalid_request_error', param: 'n', code: 1113 }
  expect(read({ error })).toMatchObject({ type: 'invalid_request_error', param: 'n', code: '1113' })
})

test('masks and truncates type, code and param like the message', () => {
  const error = {
    message: 'no',
    type: 'at http://10.0.0.1/x',
    code: 'sk-abcdefgh',
    param: 'x'.repeat(100_000),
  }
  const { type, code, param } = read({ error })
  expect({ type, code }).toEqual({ type: 'at [address]', code: '[key]' })
  expect(param?.length).toBeLessThan(5_000)
})

test.each([
  [401, {}],
  [402, {}],
  [429, { code: 'insufficient_quota' }],
  [400, { type: 'authentication_error' }],
  [403, { code: 'billing_not_active' }],
])('marks the key as revoked: %i %j', (status, error) => {
  expect(read({ error: { message: 'no', ...error } }, status).isKeyRevoked).toBe(true)
})

test('does not mark the key as revoked for a rate limit', () => {
  expect(read({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 429).isKeyRevoked).toBe(false)
})

test.each([
  [{ error: { message: 'm', type: 'overloaded_error' } }, 529],
  [{ error: { message: 'm', type: 'rate_limit_error' } }, 429],
  [{ error: { message: 'm', code: 503 } }, 503],
  [{ error: { message: 'm', code: '404' } }, 404],
  [{ error: { message: 'm', code: 200 } }, 502],
  [{ unknown: 'of' }, 502],
  [null, 502],
])('maps the error %j in a successful response to status %i', (json, status) => {
  expect(readEmbeddedFailure(json).status).toBe(status)
})

test("prefers the provider's own error reader", () => {
  const own = { status: 418, code: 'teapot', message: 'short and stout' }
  expect(readAdapterFailure({ failure: () => own }, 500, '', new Headers())).toBe(own)
})

test.each([
  ['Incorrect API key provided: sk-abcdef123456.', 'Incorrect API key provided: [key].'],
  ['Incorrect API key provided: sk-ab***yz.', 'Incorrect API key provided: [key].'],
  ['key AIzaSyA1234567 is suspended', 'key [key] is suspended'],
  ['Post "https://inner.example:8443/v1/x?key=1": refused', 'Post "[address]": refused'],
  ['dial tcp 10.0.0.7:443: timeout', 'dial tcp [address]: timeout'],
  ['dial tcp [fd00::12]:443: refused', 'dial tcp [address]: refused'],
  ['dial tcp [fe80::1%eth0]:443: refused', 'dial tcp [address]: refused'],
  ['no route for /rpc/2.0/chat?access_token=24.abc&x=1', 'no route for /rpc/2.0/chat?access_token=[key]&x=1'],
  ['header Bearer abc.def was refused', 'header [key] was refused'],
])('masks secrets in %j', (message, masked) => {
  expect(maskSecrets(message)).toBe(masked)
})

test('leaves an ordinary message unchanged', () => {
  const sentence =
    "[1:2 hours], [a] and [12] stay. This model's maximum context length is 8192 tokens; jina-embeddings-v3 and app-specific limits differ."
  expect(maskSecrets(sentence)).toBe(sentence)
})

test('truncates a very long message', () => {
  expect(maskSecrets('a'.repeat(100_000)).length).toBeLessThan(5_000)
})

test.each([
  [{ 'retry-after': '2' }, 2],
  [{ 'retry-after': '0.4' }, 1],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 30],
  [{ 'retry-after': '99999999' }, 604_800],
  [{ 'retry-after': '172800' }, 172_800],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, undefined],
  [{}, undefined],
])('reads the retry delay of %j as %p seconds', (headers: Record<string, string>, seconds) => {
  expect(readRetryAfter(new Headers(headers))).toBe(seconds)
})

const readOverdue = createFailureReader({ codes: ['30001', 'Overdue'], message: /^Incorrect key/ })
const readWithSigns = (status: number, json: unknown) =>
  readOverdue(status, JSON.stringify(json), new Headers())

test.each([
  [403, { error: { code: 'Overdue', message: 'm' } }],
  [403, { error: { type: 'Overdue', message: 'm' } }],
  [403, { code: 30001, message: 'm' }],
  [400, { error: 'Incorrect key' }],
])('maps a %d with %j to a revoked key and a retry on another channel', (status, json) => {
  expect(readWithSigns(status, json)).toMatchObject({ status, isKeyRevoked: true, isRetryable: true })
})

test('leaves other failures as the common reader reads them', () => {
  const failure = readWithSigns(400, { error: { code: 'context_length_exceeded', message: 'Too long' } })
  expect(failure).toMatchObject({ code: 'context_length_exceeded', isKeyRevoked: false })
  expect(failure.isRetryable).toBeUndefined()
})
