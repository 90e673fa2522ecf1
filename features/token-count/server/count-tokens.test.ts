import { afterEach, expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

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
