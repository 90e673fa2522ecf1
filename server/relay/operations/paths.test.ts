import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asObject } from '../../provider-kit/json.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

let relay: TestRelay
let key: string
let upstreamBodies: unknown[]

beforeEach(async () => {
  upstreamBodies = []
  relay = await TestRelay.open({
    send: sendThrough(async request => {
      upstreamBodies.push(await request.json())
      return Response.json({ error: { message: 'no', type: 'invalid_request_error' } }, { status: 400 })
    }),
  })
  key = await relay.addToken()
})

afterEach(() => relay.close())

const VERTEX = '/v1/projects/p/locations/global/publishers'

const OPENAI = { type: 'invalid_request_error', code: 'not_found' }
const ANTHROPIC = { type: 'not_found_error' }
const GEMINI = { code: 404, status: 'NOT_FOUND' }

const OPENAI_UNSERVED = { code: 'api_not_implemented' }
const ANTHROPIC_UNSERVED = { type: 'api_error' }
const GEMINI_UNSERVED = { code: 501 }
const UNSERVED: ReadonlySet<object> = new Set([OPENAI_UNSERVED, ANTHROPIC_UNSERVED, GEMINI_UNSERVED])

test.each([
  ['/v1/nothing', {}, OPENAI],
  ['/v1', {}, OPENAI],
  ['/v1/responses/nothing/at/all', {}, OPENAI_UNSERVED],
  ['/openai/deployments/lab/nothing', {}, OPENAI],
  ['/openai/nothing', {}, OPENAI],
  ['/v1beta/openai/nothing', {}, OPENAI],
  ['/v1/messages/nothing', {}, ANTHROPIC],
  ['/v1/messages/batches', {}, ANTHROPIC_UNSERVED],
  ['/v1/skills', { 'anthropic-version': '2023-06-01' }, ANTHROPIC_UNSERVED],
  ['/v1beta', {}, GEMINI],
  ['/v1beta/cachedContents', {}, GEMINI_UNSERVED],
  ['/v1alpha/tunedModels', {}, GEMINI],
  ['/v1/models/lab:predict', {}, GEMINI_UNSERVED],
  [`${VERTEX}/google/models/lab:predict`, {}, GEMINI_UNSERVED],
  ['/v1/files:upload', { 'x-goog-api-key': 'sk-x' }, GEMINI_UNSERVED],
  ['/v1/nothing', { 'x-goog-api-key': 'sk-x' }, GEMINI],
])('%s is unknown in the words of its API (headers: %j)', async (path, headers, words) => {
  const response = await relay.request(path, key, {}, headers)
  expect(response.status).toBe(UNSERVED.has(words) ? 501 : 404)
  const error = asObject(asObject(await response.json()).error)
  expect(error).toMatchObject(words)
  expect(error.message).toContain(path)
})

test('lists models under the paths of other clouds, in the format of the API behind them', async () => {
  await relay.addChannel()
  const readField = async (path: string) =>
    Object.keys(asObject(await (await relay.request(path, key, undefined)).json()))
  for (const path of ['/openai/models?api-version=1', '/openai/v1/models', '/v1beta/openai/models/'])
    expect(await readField(path)).toContain('data')
  for (const path of ['/v1alpha/models', '/v1beta1/publishers/google/models', `${VERTEX}/google/models`])
    expect(await readField(path)).toContain('models')
})

test("passes a Vertex body on to Anthropic without Vertex's own field, with the model of the path", async () => {
  await relay.addChannel({ type: 14 })
  const body = {
    anthropic_version: 'vertex-2023-10-16',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
  }
  await relay.request(`${VERTEX}/anthropic/models/lab:rawPredict`, key, body)
  await relay.request(`${VERTEX}/anthropic/models/count-tokens:rawPredict`, key, { ...body, model: 'lab' })
  const { anthropic_version: _, ...own } = body
  expect(upstreamBodies).toEqual([
    { ...own, model: 'lab' },
    { ...own, model: 'lab' },
  ])
})
