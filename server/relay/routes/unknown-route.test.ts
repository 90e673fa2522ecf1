import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestRelay } from '../../testing/test-relay.ts'
import { findRoute } from './routes.ts'
import { unknownRoute } from './unknown-route.ts'

const PACKAGES = join(import.meta.dir, '../../../node_modules')
/** `this._client.post('/files', …)`, `getAPIList(path`/files/${id}`, …)` */
const CALL = /_client\.(get|post|put|patch|delete|getAPIList)\((?:path)?[`'"]([^`'"]+)/g
const OPENAI_BASE = '/v1'
const GEMINI_CALLS = [
  'GET /v1beta/models',
  'PATCH /v1beta/models/gemini-2.5-pro',
  'DELETE /v1beta/models/tuned-1',
  'POST /v1beta/models/veo-3:predictLongRunning',
  'POST /v1beta/models/gemini-2.5-pro:batchGenerateContent',
  'POST /v1beta/models/gemini-embedding-001:asyncBatchEmbedContent',
  'GET /v1beta/models/veo-3/operations/o1',
  'POST /v1beta/cachedContents',
  'PATCH /v1beta/cachedContents/c1',
  'POST /v1beta/files:register',
  'GET /v1beta/files/f1',
  'POST /v1beta/fileSearchStores/s1:importFile',
  'GET /v1beta/fileSearchStores/s1/documents',
  'POST /v1beta/batches/b1:cancel',
  'GET /v1beta/operations/o1',
  'POST /v1beta/tunedModels',
  'POST /v1beta/auth_tokens',
]

/** Every call of an SDK that is generated from its provider's description, with a word for each parameter. */
function callsOf(sdk: string, base: string): readonly string[] {
  const folder = join(PACKAGES, sdk, 'resources')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.mjs'),
  )
  return files.flatMap(file =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(CALL)].map(([, method = '', path = '']) => {
      const [own = ''] = path.replaceAll(/\$\{[^}]*\}/g, 'x1').split('?')
      return `${method === 'getAPIList' ? 'GET' : method.toUpperCase()} ${base}${own}`
    }),
  )
}

const relay = await TestRelay.open()
afterAll(() => relay.close())

function codeOf(call: string, headers: Readonly<Record<string, string>> = {}): string {
  const [method = '', path = ''] = call.split(' ')
  const request = { method, headers: new Headers(headers) }
  const isServed = findRoute(request, new URL(path, 'http://gateway.test'), relay.context.paths) !== undefined
  return isServed ? 'served' : unknownRoute(request, path).code
}

test.each([
  ['openai', OPENAI_BASE],
  ['@anthropic-ai/sdk', ''],
])('every call of %s is served, or named as not implemented', (sdk, base) => {
  const calls = [...new Set(callsOf(sdk, base))]
  expect(calls.length).toBeGreaterThan(60)
  expect(calls.filter(call => codeOf(call) === 'not_found')).toEqual([])
})

test.each(['POST /upload/v1beta/files', 'POST /upload/v1beta/fileSearchStores/s1:uploadToFileSearchStore'])(
  "%s, to which Google's SDK uploads, is named as not implemented",
  call => {
    expect(codeOf(call, { 'x-goog-api-key': 'sk-x' })).toBe('api_not_implemented')
  },
)

test.each(GEMINI_CALLS)("%s of Google's SDK is served, or named as not implemented", call => {
  const headers = { 'x-goog-api-key': 'sk-x' }
  expect(['served', 'api_not_implemented']).toContain(codeOf(call))
  expect(codeOf(call.replace('v1beta', 'v1'), headers)).toBe(codeOf(call, headers))
})

test.each([
  'POST /v1/no/such',
  'POST /v1/chat/completion',
  'POST /v1/embedding',
  'GET /v1/message',
  'POST /v1beta/model/x:generateContent',
  'POST /v2/nothing',
  'HELLO /v1/files',
])('%s is what no provider has', call => {
  expect(codeOf(call)).toBe('not_found')
})
