import { afterEach, expect, test } from 'bun:test'
import { asObject } from '#server/provider-kit/json.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'

let relay: TestRelay | undefined
afterEach(() => relay?.close())

test.each([
  ['OpenAI, which counts none', 1, 'estimated'],
  ['Anthropic', 14, null],
] as const)('says in a header whether the count is an estimate: %s', async (_, type, header) => {
  relay = await TestRelay.open({ send: sendThrough(async () => Response.json({ input_tokens: 7 })) })
  await relay.addChannel({ type })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello, hello' }] }
  const response = await relay.request('/v1/messages/count_tokens', await relay.addToken(), body)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-tollgate-token-count')).toBe(header)
})

test.each([
  ['/v1/messages/count_tokens', { messages: [{ role: 'user', content: 'hello' }] }, 'input_tokens'],
  ['/v1/responses/input_tokens', { input: 'hello' }, 'input_tokens'],
  [
    '/v1beta/models/lab:countTokens',
    { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    'totalTokens',
  ],
])('counts free of charge at %s', async (path, body, field) => {
  relay = await TestRelay.open()
  await relay.addChannel({ type: 1 })
  const response = await relay.request(path, await relay.addToken(), { model: 'lab', ...body })
  expect(asObject(await response.json())[field]).toBeGreaterThan(0)
  expect(await relay.db.selectFrom('logs').select('id').execute()).toEqual([])
})
