import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '../provider-kit/json.ts'
import { receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

let relay: TestRelay
let token: string
let vendorError: { readonly status: number; readonly error: JsonObject }

beforeEach(async () => {
  relay = await TestRelay.open({
    send: async () =>
      receivedResponse(Response.json({ error: vendorError.error }, { status: vendorError.status })),
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
  vendorError = { status, error }
  expect((await requestError('openai')).error).toMatchObject({ code: 'context_length_exceeded' })
  expect((await requestError('responses')).error).toMatchObject({ code: 'context_length_exceeded' })
  const { error: ofClaude } = await requestError('anthropic')
  expect(String(ofClaude.message).toLowerCase()).toStartWith('prompt is too long')
})

test('tells a stream of the Responses API in an event that the context overflows', async () => {
  await relay.addChannel()
  vendorError = { status: 400, error: { message: 'too long', code: 'context_length_exceeded' } }
  const response = await relay.request('/v1/responses', token, { model: 'lab', input: 'hi', stream: true })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const last = (await response.text()).trim().split('data: ').at(-1) ?? ''
  expect(JSON.parse(last)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'context_length_exceeded' } },
  })
})

test('does not take the budget of a vendor for that of the client', async () => {
  await relay.addChannel()
  const error = { message: 'none left', type: 'new_api_error', code: 'insufficient_user_quota' }
  vendorError = { status: 403, error }
  const { status, error: shown } = await requestError('anthropic')
  expect([status, shown.type]).toEqual([403, 'permission_error'])
})
