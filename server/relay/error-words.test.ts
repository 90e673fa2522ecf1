import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '../provider-kit/json.ts'
import { receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

let relay: TestRelay
let token: string
let providerError: { readonly status: number; readonly error: JsonObject }

beforeEach(async () => {
  relay = await TestRelay.open({
    send: async () =>
      receivedResponse(Response.json({ error: providerError.error }, { status: providerError.status })),
  })
  token = await relay.addToken()
})

afterEach(() => relay.close())

const CLIENTS = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/lab:generateContent',
} as const
type Client = keyof typeof CLIENTS

const bodyOf = (client: Client, model: string): JsonObject =>
  ({
    openai: { model, messages: [{ role: 'user', content: 'hi' }] },
    anthropic: { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
    responses: { model, input: 'hi' },
    gemini: { contents: [{ parts: [{ text: 'hi' }] }] },
  })[client]

async function requestError(client: Client, model = 'lab', key = token) {
  const path = CLIENTS[client].replace('lab', model)
  const response = await relay.request(path, key, bodyOf(client, model))
  const { error } = asObject(JSON.parse(await response.text()))
  return { status: response.status, headers: response.headers, error: asObject(error) }
}

const FINAL = { 'x-should-retry': 'false' }

test.each([
  ['openai', { code: 'model_not_found', type: 'invalid_request_error' }],
  ['responses', { code: 'model_not_found', type: 'invalid_request_error' }],
  ['anthropic', { type: 'not_found_error' }],
  ['gemini', { code: 404, status: 'NOT_FOUND' }],
] as const)('says in the words of %s that a model is unknown or has no price', async (client, words) => {
  await relay.addChannel({ models: 'unpriced' })
  for (const model of ['unknown', 'unpriced']) {
    const { status, headers, error } = await requestError(client, model)
    expect(error).toMatchObject(words)
    expect([status, headers.get('retry-after')]).toEqual([404, null])
    expect(Object.fromEntries(headers)).toMatchObject(FINAL)
    expect(error.message).toContain(model)
  }
})

test.each(['openai', 'anthropic', 'responses', 'gemini'] as const)(
  'tells %s that an unknown key stays unknown',
  async client => {
    const { status, headers } = await requestError(client, 'lab', 'nonsense')
    expect([status, headers.get('x-should-retry')]).toEqual([401, 'false'])
  },
)

test('says how to price a model that has none', async () => {
  await relay.addChannel({ models: 'unpriced' })
  expect((await requestError('anthropic', 'unpriced')).error.message).toContain('Settings > Operation')
})

test.each(['openai', 'anthropic', 'responses', 'gemini'] as const)(
  'asks %s to retry later while the channels of a model are down',
  async client => {
    await relay.addChannel({ status: 3 })
    const { status, headers } = await requestError(client)
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '30', null])
  },
)

test('says that a model is unknown when the operator has disabled its channels', async () => {
  await relay.addChannel({ status: 2 })
  expect((await requestError('openai')).status).toBe(404)
})

test.each([
  ['openai', 403, 401, { type: 'tollgate_error' }],
  ['responses', 429, 429, { type: 'insufficient_quota', code: 'insufficient_quota' }],
  ['anthropic', 429, 429, { type: 'billing_error' }],
  ['gemini', 403, 401, {}],
] as const)('ends the run of %s when its budget is spent', async (client, short, spent, words) => {
  await relay.addChannel()
  const [poor, empty] = [await relay.addToken({ remain: 1 }), await relay.addToken({ remain: 0 })]
  for (const [key, expectedStatus] of [
    [poor, short],
    [empty, spent],
  ] as const) {
    const { status, headers, error } = await requestError(client, 'lab', key)
    expect([status, headers.get('x-should-retry')]).toEqual([expectedStatus, 'false'])
    expect(error).toMatchObject(words)
  }
})

const OVERFLOWS = [
  [
    400,
    { message: "This model's maximum context length is 128000 tokens.", code: 'context_length_exceeded' },
  ],
  [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum', type: 'invalid_request_error' }],
  [
    400,
    { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
  ],
  [400, { message: 'Range of input length should be [1, 129024]', code: 'InvalidParameter' }],
  [413, { message: 'Input is too long for requested model.' }],
] as const

test.each(OVERFLOWS)('recognizes that the context overflows: %d %j', async (status, error) => {
  await relay.addChannel()
  providerError = { status, error }
  expect((await requestError('openai')).error).toMatchObject({ code: 'context_length_exceeded' })
  expect((await requestError('responses')).error).toMatchObject({ code: 'context_length_exceeded' })
  const { error: ofClaude } = await requestError('anthropic')
  expect(String(ofClaude.message).toLowerCase()).toStartWith('prompt is too long')
})

test('tells a stream of the Responses API in an event that the context overflows', async () => {
  await relay.addChannel()
  providerError = { status: 400, error: { message: 'too long', code: 'context_length_exceeded' } }
  const response = await relay.request('/v1/responses', token, { model: 'lab', input: 'hi', stream: true })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const last = (await response.text()).trim().split('data: ').at(-1) ?? ''
  expect(JSON.parse(last)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'context_length_exceeded' } },
  })
})

test('does not take the budget of a provider for that of the client', async () => {
  await relay.addChannel()
  const error = { message: 'none left', type: 'new_api_error', code: 'insufficient_user_quota' }
  providerError = { status: 403, error }
  const { status, error: shown } = await requestError('anthropic')
  expect([status, shown.type]).toEqual([403, 'permission_error'])
})

/** Provider errors, with their fields. */
const UNKNOWN_MODELS = [
  [
    404,
    { message: 'The model `x` does not exist or you do not have access to it.', code: 'model_not_found' },
  ],
  [404, { message: 'model: claude-x', type: 'not_found_error' }],
  [
    404,
    { message: 'models/x is not found for API version v1beta, or is not supported.', status: 'NOT_FOUND' },
  ],
  [404, { message: 'The API deployment for this resource does not exist.', code: 'DeploymentNotFound' }],
  [404, { message: 'Not found the model x or Permission denied', type: 'resource_not_found_error' }],
  [404, { message: "model 'x' not found" }],
  [400, { message: 'Invalid model: x', type: 'invalid_model', code: '1500' }],
  [400, { message: 'Model Not Exist', type: 'invalid_request_error', code: 'invalid_request_error' }],
  [400, { message: 'The provided model identifier is invalid.' }],
  [400, { message: 'x is not a valid model ID' }],
  [400, { message: '模型不存在，请检查模型代码。', code: '1211' }],
] as const

test.each(UNKNOWN_MODELS)(
  'recognizes that a provider does not know the model: %d %j',
  async (status, error) => {
    await relay.addChannel()
    providerError = { status, error }
    for (const [client, words] of [
      ['openai', { code: 'model_not_found', type: 'invalid_request_error' }],
      ['responses', { code: 'model_not_found', type: 'invalid_request_error' }],
      ['anthropic', { type: 'not_found_error' }],
      ['gemini', { code: 404, status: 'NOT_FOUND' }],
    ] as const) {
      const { status: shown, headers, error: written } = await requestError(client)
      expect(written).toMatchObject(words)
      expect([shown, headers.get('x-should-retry')]).toEqual([404, 'false'])
    }
  },
)

test.each([
  [400, { message: "messages[1]: the tool 'x' was not found" }],
  [400, { message: 'The model produced an invalid tool call' }],
  [404, { message: 'file_1 not found', type: 'not_found_error' }],
  [500, { message: 'the model does not exist in this replica' }],
] as const)('does not take another error for an unknown model: %d %j', async (status, error) => {
  await relay.addChannel()
  providerError = { status, error }
  const { error: written, status: shown } = await requestError('openai')
  expect(shown).toBe(status)
  expect(written.code).not.toBe('model_not_found')
})

test.each([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
  [400, 'invalid_request_error'],
] as const)(
  "calls a provider's error %d %s for Anthropic's clients, whatever its type",
  async (status, type) => {
    await relay.addChannel()
    providerError = { status, error: { message: 'no', type: 'invalid_request_error' } }
    expect((await requestError('anthropic')).error.type).toBe(type)
  },
)

test("tells Gemini's clients that an overloaded provider is unavailable", async () => {
  await relay.addChannel()
  providerError = { status: 529, error: { message: 'Overloaded', type: 'overloaded_error' } }
  expect((await requestError('gemini')).error).toMatchObject({ code: 529, status: 'UNAVAILABLE' })
})
