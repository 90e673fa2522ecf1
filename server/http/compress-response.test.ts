import { expect, test } from 'bun:test'
import { jsonTextResponse } from '../core/json/json.ts'
import { compressLarge } from './compress-response.ts'

const LARGE = JSON.stringify({ text: 'word '.repeat(20_000) })

const respond = (response: Response, acceptEncoding: string): Promise<Response> =>
  compressLarge(new Request('http://h/', { headers: { 'accept-encoding': acceptEncoding } }), response)

test('compresses a large JSON response for a client that accepts gzip', async () => {
  const response = await respond(jsonTextResponse(LARGE, { 'x-request-id': 'r1' }), 'br, gzip;q=0.8')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'application/json; charset=utf-8',
    vary: 'Accept-Encoding',
    'x-request-id': 'r1',
  })
  expect(response.headers.has('content-length')).toBe(false)
  const bytes = await response.bytes()
  expect(bytes.byteLength).toBeLessThan(LARGE.length / 50)
  expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(LARGE)
})

test('leaves a large JSON response as it is for a client that does not accept gzip', async () => {
  const response = await respond(jsonTextResponse(LARGE), 'identity')
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  expect(await response.text()).toBe(LARGE)
})

test.each([
  ['a small one', () => jsonTextResponse('{}')],
  ['a stream', () => new Response(new ReadableStream(), { headers: { 'content-type': 'application/json' } })],
  ['one that is encoded already', () => jsonTextResponse(LARGE, { 'content-encoding': 'br' })],
  [
    'audio',
    () =>
      new Response('a'.repeat(100_000), {
        headers: { 'content-type': 'audio/mpeg', 'content-length': '100000' },
      }),
  ],
])('passes %s unchanged', async (_, create) => {
  const response = create()
  expect(await respond(response, 'gzip')).toBe(response)
})
