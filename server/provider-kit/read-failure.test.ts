import { expect, test } from 'bun:test'
import { failureOf, readFailure, readHiddenFailure } from './read-failure.ts'

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
])('finds the sentence in %j', body => {
  expect(read(body).message).toBe('said')
})

test.each(['<html><body>Bad gateway</body></html>', '', 'plain words'])(
  'does not show a body that is no JSON: %j',
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

test('keeps type, code and param of an error object, and a number as a code', () => {
  const error = { message: 'no', type: 'invalid_request_error', param: 'n', code: 1113 }
  expect(read({ error })).toMatchObject({ type: 'invalid_request_error', param: 'n', code: '1113' })
})

test('type, code and param show no more than the sentence does, and are as short', () => {
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
])('takes a key for dead: %i %j', (status, error) => {
  expect(read({ error: { message: 'no', ...error } }, status).isKeyDead).toBe(true)
})

test('does not take a key for dead because of a rate limit', () => {
  expect(read({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 429).isKeyDead).toBe(false)
})

test.each([
  [{ error: { message: 'm', type: 'overloaded_error' } }, 529],
  [{ error: { message: 'm', type: 'rate_limit_error' } }, 429],
  [{ error: { message: 'm', code: 503 } }, 503],
  [{ error: { message: 'm', code: '404' } }, 404],
  [{ error: { message: 'm', code: 200 } }, 502],
  [{ unheard: 'of' }, 502],
  [null, 502],
])('gives the error %j inside a good answer the status %i', (json, status) => {
  expect(readHiddenFailure(json).status).toBe(status)
})

test('lets a vendor read its errors itself', () => {
  const own = { status: 418, code: 'teapot', message: 'short and stout' }
  expect(failureOf({ failure: () => own }, 500, '', new Headers())).toBe(own)
})
