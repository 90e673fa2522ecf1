import { afterEach, beforeEach, expect, test } from 'bun:test'
import { previewRoute } from '#features/channels/server/preview.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const SHORT = 'hi'
const LONG = 'a long question '.repeat(100)
const LIMIT = 100

let relay: TestRelay
let key: string
let hosts: string[]

beforeEach(async () => {
  hosts = []
  relay = await TestRelay.open({
    options: { RetryTimes: 3 },
    send: sendThrough(async request => {
      hosts.push(new URL(request.url).hostname)
      return Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      })
    }),
  })
  key = await relay.addToken()
})

afterEach(() => relay.close())

async function ask(content: string) {
  const response = await relay.request('/v1/chat/completions', key, {
    model: 'lab',
    messages: [{ role: 'user', content }],
  })
  return { status: response.status, text: await response.text() }
}

test('sends a request that is longer than a channel takes to another channel', async () => {
  await relay.addChannel({ base_url: 'http://small.test', priority: 1, max_input_tokens: LIMIT })
  await relay.addChannel({ base_url: 'http://large.test' })
  expect((await ask(SHORT)).status).toBe(200)
  expect((await ask(LONG)).status).toBe(200)
  expect(hosts).toEqual(['small.test', 'large.test'])
  const receipts = await relay.db.selectFrom('receipts').select('body').execute()
  expect(receipts.map(({ body }) => body).join()).toContain('input limit')
})

test('rejects a request that no channel takes, with the limit, and charges nothing', async () => {
  await relay.addChannel({ max_input_tokens: LIMIT })
  await relay.addChannel({ max_input_tokens: LIMIT / 2 })
  const { status, text } = await ask(LONG)
  expect({ status, hosts }).toEqual({ status: 400, hosts: [] })
  expect(text).toContain(`at most ${LIMIT} input tokens`)
  const user = await relay.db.selectFrom('users').select(['used_quota', 'held_quota']).executeTakeFirst()
  expect(user).toEqual({ used_quota: 0, held_quota: 0 })
})

test('shows the limit in the preview of a route', async () => {
  await relay.addChannel({ max_input_tokens: LIMIT })
  const { candidates } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  expect(candidates).toMatchObject([{ maxInputTokens: LIMIT }])
})
