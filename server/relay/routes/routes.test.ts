import { expect, test } from 'bun:test'
import { findRoute, get, post, type RelayRoute } from './routes.ts'

const respond = () => Promise.resolve(new Response())

const OF_FEATURES: readonly RelayRoute[] = [
  post('/v1/embeddings', respond, 'responses'),
  get('/v1beta/models', respond, 'gemini'),
  get(/^\/v1beta\/models\/(?<model>.+)$/, respond, 'gemini'),
  { ...get('/v1/models', respond, 'anthropic'), isFor: headers => headers.has('anthropic-version') },
  get('/v1/models', respond),
  get(/^\/v1\/models\/(?<model>.+)$/, respond),
  get(/^\/v1\/things\/(?<id>[^/]+)(?:\/items\/(?<itemId>[^/]+))?$/, respond, 'responses'),
  {
    method: 'GET',
    path: /^\/pictures\/(?<id>[^/]+)$/,
    dialect: 'openai',
    auth: 'none',
    target: respond,
  },
]

const find = (call: string, headers = {}) => {
  const [method = '', path = ''] = call.split(' ')
  const url = new URL(path, 'http://gateway.test')
  return findRoute({ method, headers: new Headers(headers) }, url, OF_FEATURES)
}

test.each([
  ['POST /v1/chat/completions', 'now', 'openai', {}],
  ['POST /v1/chat/completions/', 'now', 'openai', {}],
  ['POST /v1/engines/lab%2Fone/embeddings', 'now', 'openai', { model: 'lab/one' }],
  ['POST /v1/engines/%E6%A8%A1%E5%9E%8B/embeddings', 'now', 'openai', { model: '模型' }],
  ['POST /v1/engines/100%/embeddings', 'now', 'openai', { model: '100%' }],
  ['POST /openai/deployments/a%20b/chat/completions', 'now', 'openai', { model: 'a b' }],
  ['POST /openai/deployments/100%/chat/completions', 'now', 'openai', { model: '100%' }],
  ['POST /v1beta/models/a/b:generateContent', 'now', 'gemini', { model: 'a/b', method: 'generateContent' }],
  ['GET /v1/models?limit=1', 'lookup', 'openai', {}],
  ['GET /v1/models/a%2Fb', 'lookup', 'openai', { model: 'a/b' }],
  ['GET /v1/things/1', 'lookup', 'responses', { id: '1' }],
  ['GET /v1/things/a%20b/items/%', 'lookup', 'responses', { id: 'a b', itemId: '%' }],
])('%s is served %s in the format %s with %j', (call, finishes, dialect, params) => {
  const route = find(call)
  if (route?.auth === 'none') throw new Error('the path is public')
  expect({ finishes: route?.target.finishes, dialect: route?.dialect, params: route?.params }).toEqual({
    finishes,
    dialect,
    params,
  } as never)
})

test('serves a path of the base before the same path of a feature', () => {
  expect(find('POST /v1/embeddings')?.dialect).toBe('openai')
})

test('serves a path that dialects share in the format that the client reads', () => {
  expect(find('GET /v1/models')?.dialect).toBe('openai')
  expect(find('GET /v1/models', { 'anthropic-version': '2023-06-01' })?.dialect).toBe('anthropic')
})

test.each([
  'GET /v1/models',
  'GET /v1/models/m',
  'POST /v1/interactions',
  'POST /v1/models/m:generateContent',
])('serves %s to a client of Google in its format', call => {
  const route = find(call, { 'x-goog-api-key': 'sk-x' })
  expect(route?.dialect).toBe(call.includes('interactions') ? 'interactions' : 'gemini')
  expect(route).toEqual(find(call.replace('/v1/', '/v1beta/')))
})

test('serves a client with a key of Google the paths that only others have', () => {
  expect(find('POST /v1/chat/completions', { 'x-goog-api-key': 'sk-x' })?.dialect).toBe('openai')
})

test('finds for HEAD what GET finds', () => {
  expect(find('HEAD /v1/models')).toMatchObject({ method: 'GET', path: '/v1/models' })
  expect(find('HEAD /v1/chat/completions')).toBeUndefined()
})

test('serves public paths to anyone', () => {
  expect(find('GET /pictures/1')).toMatchObject({ auth: 'none', params: { id: '1' } })
})

test.each([
  'GET /v1/chat/completions',
  'DELETE /v1/things/1',
  'POST /pictures/1',
  'POST /v1/chat/completions//',
  'POST /V1/chat/completions',
  'GET /v1/things/',
  'GET /v1/things/1/items',
  'GET /',
])('%s has no route', call => {
  expect(find(call)).toBeUndefined()
})
